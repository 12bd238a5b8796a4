package command

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSuite(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "flowschemas.yaml", flowSchema)
	write(t, "met.yaml", fmt.Sprintf(suiteText, "robots"))
	write(t, "unmet.yaml", fmt.Sprintf(suiteText, "others"))
	for _, test := range []struct {
		name         string
		args         []string
		status       int
		says, errors string
	}{
		{"an expectation that is met", []string{"-f", "met.yaml"}, statusOK, "1 passed, 0 failed", ""},
		{"an expectation that is not met", []string{"-f", "met.yaml", "-f", "unmet.yaml"}, statusFindings, "unmet.yaml:", ""},
		{"JSON", []string{"-f", "met.yaml", "-o", "json"}, statusOK, `"passed": 1`, ""},
		{"no suite", nil, statusFailed, "", "error: -f is required: the file of a suite\n"},
		{"a file that is no suite", []string{"-f", "flowschemas.yaml"}, statusFailed, "", `error: flowschemas.yaml: unknown field "metadata"; unknown field "spec"` + "\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := run(t, append([]string{"test"}, test.args...)...)
			assert.Equal(t, test.status, got.status)
			assert.Contains(t, got.out, test.says)
			assert.Equal(t, test.errors, got.errOut)
		})
	}
}
