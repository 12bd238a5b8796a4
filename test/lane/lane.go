package lane

import (
	"math/rand/v2"
	"os"
	"strconv"
)

// SeedVariable is the environment variable that repeats the choices of a run.
const SeedVariable = "SEED"

// TB is the part of testing.TB that is needed to announce a seed.
type TB interface {
	Helper()
	Name() string
	Logf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Pick returns how many, or how long, in this lane.
func Pick[T any](short, long T) T {
	if Long {
		return long
	}
	return short
}

// Seed returns the seed of a test's random choices and logs it. It is what
// the environment variable SEED says, else 1 in the short lane and a new one in
// the long lane.
func Seed(t TB) uint64 {
	t.Helper()
	seed, err := choose(os.Getenv(SeedVariable), Long)
	if err != nil {
		t.Fatalf("%s must be a number from 0 to 2^64-1: %v", SeedVariable, err)
	}
	t.Logf("seed %d: %s=%d repeats the choices of %s", seed, SeedVariable, seed, t.Name())
	return seed
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
