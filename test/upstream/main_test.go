// Package flowcontrol_test has tests for k8s.io/apiserver that fail there, for anyone to send with the
// patches of fixes/. Each names a report of the track record.
package flowcontrol_test

import (
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drivers are the tests that run the others, in processes of their own, since one ends its process.
const drivers = "^(TestEachFails|TestFixes)$"

// TestMain runs the drivers, unless a test is named: that one fails, as it would upstream.
func TestMain(m *testing.M) {
	flag.Parse()
	if run := flag.Lookup("test.run"); run.Value.String() == "" {
		if err := run.Value.Set(drivers); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// failures is what each test finds.
var failures = map[string]string{
	"TestQueueIsRemovedOnce":                "panic: runtime error: slice bounds out of range [3:2]",
	"TestNoSeatsNoExecution":                "got 30 and 30",
	"TestFinalSeatsAreLimitedWithoutQueues": "After 0s: expected 1 seats in use of a limit of 1, got 10",
	"TestUpperLimitIsAtMostTheServer":       "the 600 seats of the server, got 1200",
	"TestTargetOfExempt":                    "its limit of 0 seats, got 600",
	"TestMiceBesideElephants":               "got 509 of 1000",
	"TestWatchThatIsNeverInitialized":       "got status 429",
	"TestAuditOfRejectedRequest":            "got no annotations",
	"TestSeatsOfWatchThatListsFirst":        "the 10 seats of a list, got 1",
	"TestSeatsOfLargeObjects":               "to have 10 seats, got 1",
}

// TestEachFails holds every other test of this folder to fail on the engine of go.mod.
func TestEachFails(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	require.NoError(t, err)
	list, err := exec.Command(program, "-test.list=.").Output()
	require.NoError(t, err)
	for name := range strings.FieldsSeq(string(list)) {
		if strings.Contains(drivers, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			output, err := exec.Command(program, "-test.run=^"+name+"$").CombinedOutput()
			assert.Error(t, err, "it passes: upstream has mended this, or the test finds nothing")
			assert.NotEmpty(t, failures[name], "say what it finds")
			assert.Contains(t, string(output), failures[name])
		})
	}
}
