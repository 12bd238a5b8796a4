// Package measurement records benchmark results, round by round, in the Go
// benchmark format, and compares them with golang.org/x/perf/benchmath.
//
// Two sides see the same machine only within a round. So a ratio is taken
// within its round, and the ratios of all rounds are one sample. benchmath
// returns its median and an interval that holds the true median with a
// confidence of at least 95 %, for any distribution. The interval inverts the
// sign test of paired samples: if a target is outside it, the target is reached
// or missed with significance. An interval needs at least six rounds; with nine
// it excludes the two extremes. The p value comes from the Mann-Whitney U test,
// which ignores the pairs: it compares the figures of both sides, not their
// ratios.
package measurement

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// PerSecond is the unit of a rate of requests: more is better. In every other
// unit less is better.
const PerSecond = "req/s"

// Log writes results to a file in the Go benchmark format. Bytes that are
// written to it directly must be in that format.
type Log struct {
	*os.File
	results *benchfmt.Writer
}

// Keep creates .cache/benchmarks/NAME.txt in the repository, lets measure log
// its results to it, and reads them.
func Keep(name string, measure func(*Log) error) (Rounds, error) {
	root, err := binaries.Root()
	if err != nil {
		return Rounds{}, err
	}
	path := filepath.Join(root, ".cache", "benchmarks", name+".txt")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return Rounds{}, err
	}
	log, err := NewLog(path)
	if err != nil {
		return Rounds{}, err
	}
	if err := measure(log); err != nil {
		return Rounds{}, fmt.Errorf("%w (what was measured so far is in %s)", err, path)
	}
	return log.Rounds()
}

// NewLog creates a log.
func NewLog(path string) (*Log, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	l := &Log{File: file, results: benchfmt.NewWriter(file)}
	rate := benchfmt.UnitMetadataKey{Unit: PerSecond, Key: "better"}
	return l, l.results.Write(&benchfmt.UnitMetadata{UnitMetadataKey: rate, OrigUnit: PerSecond, Value: "higher"})
}

// Values are the figures of one round of a benchmark, by unit.
type Values map[string]float64

// Add writes one round of a benchmark with the given number of iterations.
func (l *Log) Add(benchmark string, times int, values Values) error {
	result := &benchfmt.Result{Name: benchfmt.Name(escaped(benchmark)), Iters: times}
	for _, unit := range slices.Sorted(maps.Keys(values)) {
		result.Values = append(result.Values, benchfmt.Value{Value: values[unit], Unit: unit})
	}
	return l.results.Write(result)
}

// escaped replaces spaces in a name as the testing package does.
func escaped(benchmark string) string { return strings.ReplaceAll(benchmark, " ", "_") }

// Rounds closes the log and reads it.
func (l *Log) Rounds() (Rounds, error) {
	_, err := l.Seek(0, io.SeekStart)
	if err != nil {
		return Rounds{}, errors.Join(err, l.Close())
	}
	rounds, err := Read(l.File, l.Name())
	return rounds, errors.Join(err, l.Close())
}
