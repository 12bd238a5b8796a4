package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// figures are the measured values, one for each round, by "benchmark unit",
// where benchmark is the name that go test prints, with "-1" for one processor.
type figures map[string][]float64

// read adds the results in the output of go test.
func (f figures) read(output string) {
	name := ""
	for line := range strings.Lines(output) {
		fields := strings.Fields(line)
		// What the library logs may stand between a name and its results.
		if len(fields) > 0 && strings.HasPrefix(fields[0], "Benchmark") {
			name = strings.TrimPrefix(fields[0], "Benchmark")
			if !regexp.MustCompile(`-\d+$`).MatchString(name) {
				name += "-1"
			}
			fields = fields[1:]
		}
		if name == "" || len(fields) < 3 {
			continue
		}
		if _, err := strconv.Atoi(fields[0]); err != nil {
			continue
		}
		for i := 1; i+1 < len(fields); i += 2 {
			if value, err := strconv.ParseFloat(fields[i], 64); err == nil {
				key := name + " " + fields[i+1]
				f[key] = append(f[key], value)
			}
		}
		name = ""
	}
}

// typical is the median of a unit over all benchmarks and rounds; 0 if there is
// none.
func (f figures) typical(unit string) float64 {
	var all []float64
	for key, values := range f {
		if strings.HasSuffix(key, " "+unit) {
			all = append(all, values...)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// spread is the middle of the rounds, and the middle half of them.
type spread struct{ low, median, high float64 }

func spreadOf(values []float64) spread {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return spread{low: sorted[n/4], median: sorted[n/2], high: sorted[n-1-n/4]}
}

// of returns the spread of a figure.
func (f figures) of(q quantity) (spread, error) {
	values := f[q.benchmark+" "+q.unit]
	if len(values) == 0 {
		return spread{}, fmt.Errorf("benchmark %s gave no %s", q.benchmark, q.unit)
	}
	return spreadOf(values), nil
}

// ratio returns the spread of one figure divided by the other of the same round.
func (f figures) ratio(ours, theirs quantity) (spread, error) {
	mine, others := f[ours.benchmark+" "+ours.unit], f[theirs.benchmark+" "+theirs.unit]
	if len(mine) == 0 || len(mine) != len(others) {
		return spread{}, fmt.Errorf("benchmark %s gave %d times %s, %s %d times %s", ours.benchmark, len(mine), ours.unit, theirs.benchmark, len(others), theirs.unit)
	}
	ratios := make([]float64, len(mine))
	for i := range mine {
		ratios[i] = mine[i] / others[i]
	}
	return spreadOf(ratios), nil
}
