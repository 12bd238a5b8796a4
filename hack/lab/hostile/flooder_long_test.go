//go:build long

package hostile

import (
	"fmt"
	"os"
	"testing"
)

// TestMain makes the test's program a flooder if it is ordered to.
func TestMain(m *testing.M) {
	ordered, err := RunFlooder()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	case !ordered:
		os.Exit(m.Run())
	}
}
