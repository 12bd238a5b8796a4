package command

import (
	"fmt"
	"testing"
)

func TestSuite(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "flowschemas.yaml", flowSchema)
	write(t, "met.yaml", fmt.Sprintf(suiteText, "robots"))
	write(t, "unmet.yaml", fmt.Sprintf(suiteText, "others"))
	invoke(t, []invocation{
		{"an expectation that is met", []string{"-f", "met.yaml"}, statusOK, []string{"1 passed, 0 failed"}},
		{"an expectation that is not met", []string{"-f", "met.yaml", "-f", "unmet.yaml"}, statusFindings, []string{"unmet.yaml:"}},
		{"JSON", []string{"-f", "met.yaml", "-o", "json"}, statusOK, []string{`"passed": 1`}},
		{"no suite", nil, statusFailed, []string{"error: -f is required: the file of a suite"}},
		{"a file that is no suite", []string{"-f", "flowschemas.yaml"}, statusFailed, []string{`error: flowschemas.yaml: unknown field "metadata"; unknown field "spec"`}},
	}, "test")
}
