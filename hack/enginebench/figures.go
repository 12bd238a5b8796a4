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

// median is the median of the rounds.
func (f figures) median(benchmark, unit string) (float64, error) {
	values := slices.Sorted(slices.Values(f[benchmark+" "+unit]))
	if len(values) == 0 {
		return 0, fmt.Errorf("benchmark %s gave no %s", benchmark, unit)
	}
	return values[len(values)/2], nil
}
