package trackrecord

import (
	"bytes"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// recordedLog is the log of a server at -v=3.
type recordedLog struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *recordedLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// recordLog records what the process logs until the test ends.
func recordLog(t *testing.T) *recordedLog {
	t.Helper()
	log, state := &recordedLog{}, klog.CaptureState()
	t.Cleanup(state.Restore)
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(flags)
	for name, value := range map[string]string{"v": "3", "logtostderr": "false", "stderrthreshold": "FATAL", "one_output": "true"} {
		require.NoError(t, flags.Set(name, value))
	}
	klog.SetOutput(log)
	return log
}

// klogHeader is what klog writes before a message.
var klogHeader = regexp.MustCompile(`^[IWEF]\d{4} \S+ +\d+ \S+\] `)

// last returns the last line that contains a text, without the header of klog.
func (l *recordedLog) last(text string) string {
	klog.Flush()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range slices.Backward(strings.Split(l.text.String(), "\n")) {
		if strings.Contains(line, text) {
			return klogHeader.ReplaceAllString(line, "")
		}
	}
	return "(no line contains " + text + ")"
}

// get returns the body of a path that flow control does not govern.
func (s *Site) get(path string) string {
	w := httptest.NewRecorder()
	s.Paths.ServeHTTP(w, httptest.NewRequestWithContext(s.T.Context(), "GET", path, nil))
	if w.Code != 200 {
		return ""
	}
	return w.Body.String()
}

// Metrics returns the lines of /metrics that contain all of the words of a text.
func (s *Site) Metrics(text string) (lines []string) {
	words := strings.Fields(text)
	for line := range strings.Lines(s.get("/metrics")) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "#") && containsAll(line, words) {
			lines = append(lines, line)
		}
	}
	return lines
}

// Metric returns the sum of the values of the lines that Metrics returns.
func (s *Site) Metric(text string) (sum float64) {
	for _, line := range s.Metrics(text) {
		var value float64
		_, err := fmt.Sscan(line[strings.LastIndex(line, " ")+1:], &value)
		require.NoError(s.T, err)
		sum += value
	}
	return sum
}

func containsAll(line string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(line, word) {
			return false
		}
	}
	return true
}

// Why returns the command kubectl apf why and what it answers on this server, without notes. It asks for
// the flow schema if nothing is known of the user.
func (s *Site) Why(q Question) string {
	if q.User == "" {
		return s.why("--flow-schema=" + q.FlowSchema)
	}
	text := s.why("--user=" + q.User)
	if q.FlowSchema == "" || !strings.Contains(text, unknown) {
		return text
	}
	return s.why("--flow-schema=" + q.FlowSchema)
}

// unknown begins the answer to a question about a user of whom nothing is known.
const unknown = "error: "

// debugPath is the path of flow control's dumps.
const debugPath = "/debug/api_priority_and_fairness/"

func marshal(t *testing.T, object any) string {
	t.Helper()
	text, err := yaml.Marshal(object)
	require.NoError(t, err)
	return string(text)
}

// why lets the plug-in answer, from what this server answers now and its objects.
func (s *Site) why(question string) string {
	dir := s.T.TempDir()
	save := func(path, content string) {
		require.NoError(s.T, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(s.T, os.WriteFile(path, []byte(content), 0o600))
	}
	for _, path := range []string{"/metrics", debugPath + "top_flows", debugPath + "rejections"} {
		if answer := s.get(path); answer != "" { // the peer remembers neither flows nor rejections
			save(filepath.Join(dir, "server", path), answer)
		}
	}
	for _, level := range s.setup.Levels {
		level = level.DeepCopy()
		level.TypeMeta = metav1.TypeMeta{APIVersion: flowcontrolv1.SchemeGroupVersion.String(), Kind: "PriorityLevelConfiguration"}
		save(filepath.Join(dir, "levels", level.Name), marshal(s.T, level))
	}
	for _, schema := range s.setup.Schemas {
		schema = schema.DeepCopy()
		schema.TypeMeta = metav1.TypeMeta{APIVersion: flowcontrolv1.SchemeGroupVersion.String(), Kind: "FlowSchema"}
		save(filepath.Join(dir, "schemas", schema.Name), marshal(s.T, schema))
	}
	plugin := harness.Program(s.T, binaries.Plugin)
	output, err := exec.CommandContext(s.T.Context(), plugin, "why", question, "--dumps="+dir, "--release=1.33").CombinedOutput()
	if exit := (&exec.ExitError{}); err != nil {
		require.ErrorAs(s.T, err, &exit, "%s", output)
	}
	answer := regexp.MustCompile(`(?m)^Note: .*\n`).ReplaceAllString(string(output), "")
	return "$ kubectl apf why " + question + "\n" + strings.TrimSpace(answer)
}

// seen is what an operator reads on a server.
func (s *Site) seen(look Look) string {
	var text strings.Builder
	if count, last := s.Panics(); count > 0 {
		text.WriteString("panic: " + last + "\n")
	}
	for _, metric := range look.Metrics {
		lines := s.Metrics(metric)
		if len(lines) == 0 {
			lines = []string{"(no series: " + metric + ")"}
		}
		text.WriteString(strings.Join(lines, "\n") + "\n")
	}
	if look.Log != "" {
		text.WriteString(s.log.last(look.Log) + "\n")
	}
	if look.Why != (Question{}) {
		text.WriteString(s.Why(look.Why) + "\n")
	}
	return text.String()
}
