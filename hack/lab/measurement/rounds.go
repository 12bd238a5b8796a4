package measurement

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// confidence is the minimum confidence of an interval.
const confidence = 0.95

// Figure is one of the values of a benchmark. Its unit is a base unit as benchfmt
// reads it: sec/op for what go test prints as ns/op.
type Figure struct{ Benchmark, Unit string }

// Rounds are the values of all figures, in the order of the rounds.
type Rounds struct {
	values map[Figure][]float64
	units  benchfmt.UnitMetadataMap
}

// Read reads results in the Go benchmark format. Errors name the file.
func Read(results io.Reader, file string) (Rounds, error) {
	reader := benchfmt.NewReader(results, file)
	values := map[Figure][]float64{}
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.Result:
			for _, value := range record.Values {
				figure := Figure{record.Name.String(), value.Unit}
				values[figure] = append(values[figure], value.Value)
			}
		case *benchfmt.SyntaxError:
			return Rounds{}, record
		}
	}
	return Rounds{values, reader.Units()}, reader.Err()
}

// Of returns the values of a figure, one for each round.
func (r Rounds) Of(f Figure) ([]float64, error) {
	values := r.values[Figure{escaped(f.Benchmark), f.Unit}]
	if len(values) == 0 {
		return nil, fmt.Errorf("benchmark %s gave no %s", f.Benchmark, f.Unit)
	}
	return values, nil
}

// All returns the values of a unit in all benchmarks.
func (r Rounds) All(unit string) (all []float64) {
	for figure, values := range r.values {
		if figure.Unit == unit {
			all = append(all, values...)
		}
	}
	return all
}

// Ratios divides one figure by the other, round by round.
func (r Rounds) Ratios(ours, beside Figure) ([]float64, error) {
	mine, err := r.Of(ours)
	if err != nil {
		return nil, err
	}
	others, err := r.Of(beside)
	if err != nil {
		return nil, err
	}
	if len(mine) != len(others) {
		return nil, fmt.Errorf("%v was measured in %d rounds and %v in %d; a ratio needs both in each", ours, len(mine), beside, len(others))
	}
	ratios := make([]float64, len(mine))
	for i := range mine {
		ratios[i] = mine[i] / others[i]
	}
	return ratios, nil
}

// Summarize returns the median of the values and the interval around it.
func Summarize(values []float64) benchmath.Summary {
	return benchmath.AssumeNothing.Summary(sample(values), confidence)
}

// sample keeps the order of the values, which NewSample sorts.
func sample(values []float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
}

// Quantile returns the smallest value that at least the share q (0 to 1) of the
// values does not exceed. There must be a value.
func Quantile[V cmp.Ordered](values []V, q float64) V {
	sorted := slices.Sorted(slices.Values(values))
	index := int(q*float64(len(sorted))+0.999999) - 1
	return sorted[min(max(index, 0), len(sorted)-1)]
}
