package trackrecord

import (
	"bytes"
	"flag"
	"fmt"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/table"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/why"
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
	s.paths.ServeHTTP(w, httptest.NewRequestWithContext(s.T.Context(), "GET", path, nil))
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

// Why returns the commands kubectl apf why and what they answer on this server. It asks for
// the flow schema if nothing is known of the user.
func (s *Site) Why(q Question) string {
	if q.User == "" {
		return "$ kubectl apf why --flow-schema=" + q.FlowSchema + "\n" + s.why(why.Query{FlowSchema: q.FlowSchema})
	}
	answer := s.why(why.Query{User: q.User})
	text := "$ kubectl apf why --user=" + q.User + "\n" + answer
	if q.FlowSchema == "" || !strings.HasPrefix(answer, unknown) {
		return text
	}
	return text + "\n" + s.Why(Question{FlowSchema: q.FlowSchema})
}

// unknown begins the answer to a question about a user of whom nothing is known.
const unknown = "error: "

func (s *Site) why(q why.Query) string {
	one := replica.Replica{Name: "server", Read: time.Now()}
	for _, endpoint := range []replica.Endpoint{replica.EndpointMetrics, replica.EndpointFlows, replica.EndpointRejections} {
		one.Add(endpoint, strings.NewReader(s.get(string(endpoint))))
	}
	one.Missing = nil // of endpoints that the peer lacks
	inquiry := why.New(q, configuration.Configuration{
		FlowSchemas: s.setup.Schemas, PriorityLevels: s.setup.Levels, Own: !s.Peer, Total: s.setup.Total, Release: "1.33",
	}, []replica.Replica{one}, time.Now())
	result := inquiry.Result()
	if nothing := result.WhyNothing(); nothing != "" {
		return unknown + nothing
	}
	var text bytes.Buffer
	require.NoError(s.T, result.WriteTable(&text, table.Options{Width: 110}))
	return strings.TrimSpace(text.String())
}

// seen is what an operator reads on a server.
func (s *Site) seen(look Look) string {
	var text strings.Builder
	if count, last := s.panics.report(); count > 0 {
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
