// Package logs records what a test logs with klog.
package logs

import (
	"bytes"
	"flag"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/klog/v2"
)

// Log is what was logged since Record. It is safe for concurrent use.
type Log struct {
	mu      sync.Mutex // guards what follows
	written bytes.Buffer
}

// Record records the log instead of writing it, until the end of the test. The verbosity
// may be followed by further flags of klog. No other test may run meanwhile.
func Record(t *testing.T, verbosity string) *Log {
	t.Helper()
	t.Cleanup(klog.CaptureState().Restore)
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	require.NoError(t, flags.Parse(strings.Fields("-v="+verbosity+" -logtostderr=false -alsologtostderr=false -stderrthreshold=FATAL")))
	log := &Log{}
	klog.SetOutput(log)
	return log
}

// Write implements io.Writer.
func (l *Log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written.Write(line)
}

// String returns what was logged.
func (l *Log) String() string {
	klog.Flush()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written.String()
}
