package lane

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// SeedVariable is the environment variable that sets the seed, to repeat a run.
const SeedVariable = "SEED"

// TB is the part of testing.TB that Seed needs.
type TB interface {
	Helper()
	Name() string
	Logf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Pick returns the value for this lane, such as a count or a duration.
func Pick[T any](short, long T) T {
	if Long {
		return long
	}
	return short
}

// Seed returns the seed of a test's random choices, and logs it with the
// command that repeats them. It is the value of the environment variable SEED.
// If that is unset, it is 1 in the short lane and random in the long lane.
func Seed(t TB) uint64 {
	t.Helper()
	seed, err := choose(os.Getenv(SeedVariable), Long)
	if err != nil {
		t.Fatalf("%s must be a number from 0 to 2^64-1: %v", SeedVariable, err)
	}
	t.Logf("seed %d; the same choices again, in this directory: %s", seed, repetition(seed, t.Name()))
	return seed
}

// repetition returns the command that repeats the choices of a test, in the folder of its
// package. The path of that folder would keep the go command from reusing a result of
// another clone.
func repetition(seed uint64, name string) string {
	steps := strings.Split(name, "/")
	for i, step := range steps {
		steps[i] = "^" + strings.ReplaceAll(regexp.QuoteMeta(step), "'", ".") + "$"
	}
	tags := ""
	if Long {
		tags = "-tags=long "
	}
	return fmt.Sprintf("%s=%d go test -count=1 %s-run '%s' .", SeedVariable, seed, tags, strings.Join(steps, "/"))
}

func choose(given string, long bool) (uint64, error) {
	switch {
	case given != "":
		return strconv.ParseUint(given, 10, 64)
	case long:
		return rand.Uint64(), nil
	default:
		return 1, nil
	}
}
