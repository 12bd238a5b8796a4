package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestInvalidScenarios(t *testing.T) {
	const valid = head + `clients:
- name: a
  user: a
  requests:
  - verb: get
    resource: pods
  open:
    poisson: {rate: 1}
`
	_, err := Parse([]byte(valid))
	require.NoError(t, err)
	for _, test := range []struct {
		name, old, by, want string
	}{
		{"nothing", valid, "", "the scenario is empty"},
		{"no YAML", "kind: Scenario", "kind: [", "line"},
		{"two documents", "    poisson: {rate: 1}\n", "    poisson: {rate: 1}\n---\na: b\n", "has a second document"},
		{"another version", "v1alpha1", "v2", `line 1: apiVersion is "scenario.flowcontrol-apiserver.io/v2", must be "scenario.flowcontrol-apiserver.io/v1alpha1"`},
		{"another kind", "kind: Scenario", "kind: Suite", `line 2: kind is "Suite", must be "Scenario"`},
		{"an unknown field", "  user: a", "  owner: a", "line 6: field owner not found"},
		{"a value of another type", "name: a", "name: [a]", "line 5: cannot unmarshal"},
		{"a duration without a unit", "duration: 1m", "duration: 60", `line 3: "60" must be a duration, such as 1.5s`},
		{"no duration", "duration: 1m", "", "duration is 0s, must be positive"},
		{"negative replicas", "duration: 1m", "duration: 1m\nreplicas: -1", "line 4: replicas is -1"},
		{"negative stored objects", "duration: 1m", "duration: 1m\nstored:\n  pods: {objects: -1}", "line 5: stored.pods has negative objects"},
		{"no clients", valid[len(head):], "", "clients is empty, must have a client"},
		{"no name", "name: a", `name: ""`, "line 5: clients[0].name is empty"},
		{"no user", "user: a", `user: ""`, "line 6: clients[0].user is empty"},
		{"a name that is not unique", "clients:\n", "clients:\n- {name: a, user: b, requests: [{verb: get, path: /a}], workers: {}}\n", `line 6: clients[1].name is "a", which clients[0] has too`},
		{"a negative count", "user: a", "user: a\n  count: -1", "line 7: clients[0].count is -1"},
		{"too many clients", "user: a", "user: a\n  count: 1000001", "line 7: clients[0].count is 1000001: all clients and their workers must be at most 1000000"},
		{"a client that begins after the end", "user: a", "user: a\n  from: 1m", "line 7: clients[0].from is 1m0s"},
		{"a client that ends before it begins", "user: a", "user: a\n  from: 30s\n  until: 20s", "line 8: clients[0].until is 20s"},
		{"no behaviour", "  open:\n    poisson: {rate: 1}\n", "", "line 5: clients[0] must have exactly one of open, workers, informer and controller"},
		{"two behaviours", "  open:", "  workers: {}\n  open:", "line 5: clients[0] must have exactly one of"},
		{"no requests", "  requests:\n  - verb: get\n    resource: pods\n", "", "line 5: clients[0].requests is empty"},
		{"no verb", "verb: get", `verb: ""`, "line 8: clients[0].requests[0].verb is empty"},
		{"another verb", "verb: get", "verb: read", `line 8: clients[0].requests[0].verb is "read", must be create, delete`},
		{"neither resource nor path", "    resource: pods\n", "", "line 8: clients[0].requests[0] must have exactly one of resource and path"},
		{"a path that is none", "resource: pods", "path: healthz", `line 9: clients[0].requests[0].path is "healthz", must begin with /`},
		{"a path with a namespace", "resource: pods", "path: /a\n    namespace: b", "line 8: clients[0].requests[0] has a path and must not have"},
		{"a negative weight", "resource: pods", "resource: pods\n    weight: -1", "line 10: clients[0].requests[0].weight is -1"},
		{"a status that is none", "resource: pods", "resource: pods\n    status: 99", "line 10: clients[0].requests[0].status is 99"},
		{"a negative execution", "resource: pods", "resource: pods\n    execution: -1s", "line 10: clients[0].requests[0].execution has the mean -1s"},
		{"a list instead of an execution", "resource: pods", "resource: pods\n    execution: [1s]", "line 10: must be a duration, or an object"},
		{"an unknown field of an execution", "resource: pods", "resource: pods\n    execution: {median: 1s}", `line 10: the field "median" is unknown`},
		{"an unknown shape", "resource: pods", "resource: pods\n    execution: {mean: 1s, shape: normal}", `has the shape "normal"`},
		{"a p99 without its shape", "resource: pods", "resource: pods\n    execution: {mean: 1s, p99: 2s}", "has a p99 and not the shape lognormal"},
		{"a shape without its p99", "resource: pods", "resource: pods\n    execution: {mean: 1s, shape: lognormal}", "p99 must be more than 1 and less than 15 times the mean"},
		{"a p99 that is impossible", "resource: pods", "resource: pods\n    execution: {mean: 1s, p99: 20s, shape: lognormal}", "p99 must be more than 1"},
		{"no arrivals", "    poisson: {rate: 1}", "    {}", "clients[0].open must have exactly one of poisson"},
		{"a rate of nothing", "rate: 1", "rate: 0", "line 11: clients[0].open.poisson.rate is 0, must be from 0.000001 to 1000000"},
		{"a rate that is no number", "rate: 1", "rate: .nan", "clients[0].open.poisson.rate is NaN"},
		{"bursts that never come", "poisson: {rate: 1}", "bursts: {size: 1}", "clients[0].open.bursts.every must be positive"},
		{"bursts of nothing", "poisson: {rate: 1}", "bursts: {every: 1s}", "clients[0].open.bursts.size is 0"},
		{"bursts that overlap", "poisson: {rate: 1}", "bursts: {every: 1s, size: 1, within: 2s}", "clients[0].open.bursts.within must be from 0s to every"},
		{"a shape of no trace", "poisson: {rate: 1}", "recorded: {scale: 1}", "clients[0].open.recorded.trace is empty"},
		{"a negative scale", "poisson: {rate: 1}", "recorded: {trace: a, scale: -1}", "clients[0].open.recorded.scale is -1"},
		{"a negative step", "poisson: {rate: 1}", "recorded: {trace: a, step: -1s}", "clients[0].open.recorded.step must be from 0s to 168h0m0s"},
		{"negative workers", "open:\n    poisson: {rate: 1}", "workers: {count: -1}", "line 10: clients[0].workers.count is -1"},
		{"a negative think time", "open:\n    poisson: {rate: 1}", "workers: {thinkTime: -1s}", "clients[0].workers.thinkTime has the mean -1s"},
		{"negative attempts", "open:\n    poisson: {rate: 1}", "workers: {retries: {attempts: -1}}", "clients[0].workers.retries.attempts is -1"},
		{"a negative backoff", "open:\n    poisson: {rate: 1}", "workers: {retries: {backoff: -1s}}", "clients[0].workers.retries.backoff must not be negative"},
		{"an informer that does not list", "open:\n    poisson: {rate: 1}", "informer: {}", "clients[0].informer must have exactly one request, a list"},
		{"a controller that reacts to nobody", "open:\n    poisson: {rate: 1}", "controller: {}", "clients[0].controller.reactsTo is empty"},
		{"a controller that reacts to a stranger", "open:\n    poisson: {rate: 1}", "controller:\n    reactsTo: [b]", `line 11: clients[0].controller.reactsTo[0] is "b", must be the name of a client`},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Contains(t, valid, test.old)
			_, err := Parse([]byte(strings.Replace(valid, test.old, test.by, 1)))
			require.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
	informed := strings.NewReplacer("verb: get", "verb: list", "open:\n    poisson: {rate: 1}", "informer: X").Replace(valid)
	for by, want := range map[string]string{
		"{watchFor: -1s}": "informer.watchFor must not be negative", "{relist: 2}": "informer.relist is 2, must be from 0 to 1",
		"{execution: -1s}": "informer.execution has the mean",
	} {
		_, err := Parse([]byte(strings.Replace(informed, "X", by, 1)))
		require.ErrorContains(t, err, want)
	}
}

func TestErrorsNameTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.yaml")
	_, err := Read(file)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(file, []byte(head), 0o600))
	_, err = Read(file)
	require.ErrorContains(t, err, file+": line 1: clients is empty")
}

func FuzzParseNeverPanics(f *testing.F) {
	text, err := os.ReadFile(example)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if s, err := Parse(text); err == nil && s.Duration <= 0 {
			t.Error("a scenario without duration is valid")
		}
	})
}
