package options

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/configsync"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/test/logs"
)

// fixture are sources whose configurations are recorded.
type fixture struct {
	*sources
	clock *testingclock.FakeClock
	// levels and schemas are what was applied last, applied how often.
	levels  []*flowcontrolv1.PriorityLevelConfiguration
	schemas []*flowcontrolv1.FlowSchema
	applied int
}

func start() time.Time { return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC) }

func newFixture() *fixture {
	f := &fixture{clock: testingclock.NewFakeClock(start())}
	translator := configsync.NewTranslator()
	f.sources = newSources(func(levels []*flowcontrolv1.PriorityLevelConfiguration, schemas []*flowcontrolv1.FlowSchema) []engine.Problem {
		f.levels, f.schemas = levels, schemas
		f.applied++
		_, problems := translator.Translate(levels, schemas)
		return problems
	}, f.clock)
	f.offer(builtIn, "", nil, nil, nil)
	return f
}

// names returns the names of the flow schemas that were applied last.
func (f *fixture) names() []string {
	var names []string
	for _, schema := range f.schemas {
		names = append(names, schema.Name)
	}
	return names
}

// manifest returns a flow schema with its priority level, as YAML.
func manifest(name string) string {
	return `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: ` + name + `}
spec: {type: Limited, limited: {limitResponse: {type: Queue, queuing: {}}}}
---
# matches all users
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: ` + name + `}
spec:
  priorityLevelConfiguration: {name: ` + name + `}
  rules:
  - subjects: [{kind: Group, group: {name: "system:authenticated"}}]
    nonResourceRules: [{verbs: ["*"], nonResourceURLs: ["*"]}]
`
}

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

// following runs follow until the end of the test.
func following(t *testing.T, follow func(context.Context)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); follow(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
}

// complaints returns how often the log says that a source cannot be used. klog writes the
// line of an error once for each severity.
func complaints(log *logs.Log) int {
	lines := map[string]bool{}
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "A source of the configuration of flow control cannot be used") {
			lines[line] = true
		}
	}
	return len(lines)
}

// pass lets virtual time pass.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}
