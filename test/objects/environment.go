package objects

import (
	"os"
	"strconv"
)

// FromEnvironment is a seed or a count that the variable sets, or otherwise.
func FromEnvironment(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, name string, otherwise uint64,
) uint64 {
	t.Helper()
	text, ok := os.LookupEnv(name)
	if !ok {
		return otherwise
	}
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s must be a whole number: %v", name, err)
	}
	return value
}
