//go:build long

package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

var updateExam = flag.Bool("update-exam", false, "write the marks of sample-apiserver into docs/exam.md")

// answer is a question of the exam with its mark, as the exam's JSON has them.
type answer struct {
	Question, Mark string
	MiceP99Seconds *float64
}

// TestTheExamTellsASampleServerFromOneWithFlowControl examines sample-apiserver as it is, and with pkg/apf. Each
// takes two minutes.
func TestTheExamTellsASampleServerFromOneWithFlowControl(t *testing.T) {
	exam := filepath.Join(t.TempDir(), "exam")
	output, err := exec.CommandContext(t.Context(), "go", "build", "-o", exam, "../exam").CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.NoError(t, harness.Own(t.Context(), func(o *harness.Owner) {
		m, err := sampleServer().module()
		o.Check(err)
		o.Check(m.build(t.Context()))
		l := newSite(o, sampleServer())
		l.first(m)
		asItIs, withFlowControl := l.examine(o, t, exam, m, plain), l.examine(o, t, exam, m, fair)
		header := measurement.Row{"question", "sample-apiserver as it is", "with `pkg/apf`", "p99 of mice as it is", "with `pkg/apf`"}
		var text strings.Builder
		text.WriteString("### sample-apiserver, as it is and with `pkg/apf`\n\n" + header.String() + "|---|---|---|---:|---:|\n")
		for i, before := range asItIs {
			after := withFlowControl[i]
			row := measurement.Row{before.Question, before.Mark, after.Mark, seconds(before.MiceP99Seconds), seconds(after.MiceP99Seconds)}
			text.WriteString(row.String())
			switch before.Question {
			case "mice beside 1 elephant", "mice beside 30 elephants":
				assert.Equal(t, "failed", before.Mark, before.Question)
				assert.Contains(t, []string{"good", "weak"}, after.Mark, after.Question) // good on a quiet machine
			}
		}
		t.Log(text.String())
		if *updateExam && !t.Failed() {
			o.Check(measurement.Publish("make exam-servers", "exam-sample-apiserver", filepath.Join("docs", "exam.md"), text.String()))
		}
	}))
}

func seconds(value *float64) string {
	if value == nil {
		return ""
	}
	return fmt.Sprintf("%.2f s", *value)
}

// examine runs the exam against a program of the server, through kube-apiserver.
func (l *site) examine(o *harness.Owner, t *testing.T, exam string, m module, program string) []answer {
	t.Helper()
	file := filepath.Join(t.TempDir(), "exam.json")
	o.Within(func(o *harness.Owner) {
		process := l.start(o, m.path(program), l.switches(program)...)
		_, ready := process.awaitReady(t.Context(), patience)
		require.True(t, ready, process.Output())
		l.awaitServed(o, l.server.mouse)
		l.backend.on.Store(true)
		defer l.backend.on.Store(false)
		output, err := exec.CommandContext(t.Context(), exam, "-kubeconfig="+l.kubeAPIServer.Kubeconfig, "-json="+file,
			"-late=10s", "-path="+l.server.mouse, "-elephant-path="+l.server.elephant, "-group=system:serviceaccounts").CombinedOutput()
		if failed := (&exec.ExitError{}); !errors.As(err, &failed) { // the status is 1 if a question failed
			require.NoError(t, err, "%s", output)
		}
		t.Logf("%s:\n%s", program, output)
	})
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var result struct{ Answers []answer }
	require.NoError(t, json.Unmarshal(content, &result))
	require.NotEmpty(t, result.Answers)
	return result.Answers
}
