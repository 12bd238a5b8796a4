package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

const objects = `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: ci}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 200
    limitResponse: {type: Queue, queuing: {queues: 64, handSize: 4, queueLengthLimit: 50}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: builders}
spec:
  priorityLevelConfiguration: {name: ci}
  matchingPrecedence: 400
  distinguisherMethod: {type: ByUser}
  rules:
  - subjects: [{kind: ServiceAccount, serviceAccount: {namespace: ci, name: "*"}}]
    resourceRules:
    - {verbs: [list, update], apiGroups: [""], resources: [pods], namespaces: ["*"], clusterScope: true}
`

const header = `
apiVersion: suite.flowcontrol-apiserver.io/v1
kind: Suite
`

const configured = header + `
configuration: {release: "1.33", files: [objects], seats: 600}
facts:
  pods: {objects: 450, watchers: 45}
  configmaps: {watchers: 1}
`

const list = `{verb: list, resource: pods, user: "system:serviceaccount:ci:builder"}`

// run writes the suite and its objects into a directory, and runs it there.
func run(t *testing.T, text string) Result {
	t.Helper()
	directory := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(directory, "objects"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(directory, "objects", "ci.yaml"), []byte(objects), 0o600))
	path := filepath.Join(directory, "suite.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	s, err := Read(path)
	require.NoError(t, err)
	from, err := source.New(s.Source())
	require.NoError(t, err)
	c, err := from.Configuration(context.Background())
	require.NoError(t, err)
	r := s.Run(c, time.Unix(0, 0))
	assert.Equal(t, path, r.Suite)
	r.Suite = "suite.yaml"
	return r
}

// runCase runs one case.
func runCase(t *testing.T, request, expect string) CaseResult {
	t.Helper()
	r := run(t, configured+"cases: [{name: one, request: "+request+", expect: "+expect+"}]")
	require.Len(t, r.Cases, 1)
	return r.Cases[0]
}

func TestExpectationsThatAreMet(t *testing.T) {
	for _, test := range []struct{ name, request, expect string }{
		{"a list, its level, its flow and its seats", list,
			`{flowSchema: builders, priorityLevel: ci, flow: "system:serviceaccount:ci:builder", seats: 5}`},
		{"a list of one object takes one seat", `{verb: list, resource: pods, name: web, user: "system:serviceaccount:ci:builder"}`, `{seats: 1}`},
		{"a write takes the seats of its notifications", `{verb: update, resource: pods, namespace: ci, name: web, user: "system:serviceaccount:ci:builder"}`,
			`{flowSchema: builders, seats: 5}`},
		{"a built-in schema of the release", `{verb: get, path: /readyz, user: "system:anonymous"}`, `{flowSchema: probes, priorityLevel: exempt}`},
		{"an API group and a subresource", `{verb: update, group: apps, resource: deployments, subresource: status, namespace: a, name: web, user: alice}`,
			`{flowSchema: global-default, flow: alice}`},
		{"a flow without a distinguisher", `{verb: get, path: /readyz, user: "system:anonymous"}`, `{flow: ""}`},
		{"groups", `{verb: list, resource: pods, user: admin, groups: ["system:masters"]}`, `{flowSchema: exempt}`},
		{"options", `{verb: list, resource: pods, user: alice, options: {limit: 50, continue: next}}`, `{seats: 1}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			outcome := runCase(t, test.request, test.expect)
			assert.True(t, outcome.Passed, outcome.Message())
			assert.Empty(t, outcome.Message())
		})
	}
}

func TestExpectationsThatAreNotMetSayWhy(t *testing.T) {
	for _, test := range []struct{ name, request, expect, message string }{
		{"the schema does not match", `{verb: get, resource: pods, namespace: a, name: web, user: "system:serviceaccount:ci:builder"}`, `{flowSchema: builders}`,
			`case "one": expected flow schema "builders", got "service-accounts": "builders" does not match: spec.rules[0].resourceRules[0].verbs: `},
		{"an earlier schema matches the request", list, `{flowSchema: global-default}`,
			`case "one": expected flow schema "global-default", got "builders": "builders" matches and comes first, with matchingPrecedence 400`},
		{"the schema does not exist", list, `{flowSchema: builder}`,
			`case "one": expected flow schema "builder", got "builders": the configuration has no flow schema "builder"`},
		{"another level", list, `{priorityLevel: workload-low}`,
			`case "one": expected priority level "workload-low", got "ci": that is the level of flow schema "builders"`},
		{"another flow", list, `{flow: ci}`,
			`case "one": expected flow "ci", got "system:serviceaccount:ci:builder": flow schema "builders" has the distinguisherMethod ByUser`},
		{"a flow where there are none", `{verb: get, path: /readyz, user: "system:anonymous"}`, `{flow: x}`,
			`case "one": expected flow "x", got "": flow schema "probes" has no distinguisherMethod`},
		{"a flow where none is expected", list, `{flow: ""}`, `case "one": expected flow "", got "system:serviceaccount:ci:builder": `},
		{"other seats", list, `{seats: 4}`, `case "one": expected seats 4, got 5: `},
		{"seats without facts", `{verb: list, resource: secrets, user: alice}`, `{seats: 1}`,
			`case "one": expected seats 1, got 1 to 4: the suite has no facts about secrets: set objects, bytes or watchers`},
		{"seats of a list without the number of objects", `{verb: list, resource: configmaps, user: alice}`, `{seats: 1}`,
			`case "one": expected seats 1, got 1 to 4: the suite has no facts about configmaps: set objects, bytes or watchers`},
		{"seats of a request that flow control does not govern", `{verb: create, resource: pods, subresource: exec, namespace: a, name: web, user: alice}`, `{seats: 1}`,
			`case "one": expected flow control, got none: A request for the subresource exec is long-running.`},
		{"the schema of a profile", `{verb: get, path: /debug/pprof/heap, user: alice}`, `{flowSchema: global-default}`,
			`case "one": expected flow control, got none: A request for a profile is long-running.`},
		{"several", list, `{priorityLevel: x, seats: 4}`, `case "one": expected priority level "x", got "ci": that is the level of flow schema "builders"; expected seats 4, got 5: `},
		{"a request that is none", `{verb: list, user: alice}`, `{seats: 1}`, `case "one": invalid request: `},
	} {
		t.Run(test.name, func(t *testing.T) {
			outcome := runCase(t, test.request, test.expect)
			assert.False(t, outcome.Passed)
			require.GreaterOrEqual(t, len(outcome.Message()), len(test.message), outcome.Message())
			assert.Equal(t, test.message, outcome.Message()[:len(test.message)])
		})
	}
}

func TestServerDecidesHowSeatsAreEstimated(t *testing.T) {
	text := header + `
configuration: {release: "1.33", server: flowcontrol-apiserver}
facts: {pods: {objects: 450, bytes: 450000}}
cases: [{name: a watch that begins with a list, request: {verb: watch, resource: pods, user: alice}, expect: {seats: 5}}]`
	assert.Equal(t, 1, run(t, text).Passed)
}

func TestInvalidSuites(t *testing.T) {
	one := "{name: one, request: " + list + ", expect: {flowSchema: a}}"
	for _, test := range []struct{ name, text, message string }{
		{"another kind", "apiVersion: v1\nkind: Pod\n", `apiVersion is "v1" and kind is "Pod": must be suite.flowcontrol-apiserver.io/v1 and Suite`},
		{"an unknown field", header + "casos: []", `unknown field "casos"`},
		{"an unknown field of an expectation", header + "cases: [{name: one, request: " + list + ", expect: {schema: a}}]", `unknown field "cases[0].expect.schema"`},
		{"several unknown fields", header + "a: 1\nb: 2\n", `unknown field "a"; unknown field "b"`},
		{"a field that is there twice", header + "kind: Suite\n", `key "kind" already set in map`},
		{"no YAML", "\tno", "found character that cannot start any token"},
		{"no case", header, "cases is empty: must have a case"},
		{"a case without a name", header + "cases: [{request: " + list + ", expect: {flowSchema: a}}]", "cases[0].name is empty: every case must have a name"},
		{"two cases of one name", header + "cases: [" + one + ", " + one + "]", `cases[1].name is "one", which cases[0] has too: must be unique`},
		{"a case that expects nothing", header + "cases: [{name: one, request: " + list + "}]", `cases[0] "one" expects nothing: must have flowSchema, priorityLevel, flow or seats`},
		{"an unknown server", header + "configuration: {server: etcd}\ncases: [" + one + "]", `configuration.server is "etcd": must be kube-apiserver or flowcontrol-apiserver`},
		{"negative seats", header + "configuration: {seats: -1}\ncases: [" + one + "]", "configuration.seats is -1: must not be negative"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse([]byte(test.text))
			assert.ErrorContains(t, err, test.message)
			path := filepath.Join(t.TempDir(), "suite.yaml")
			require.NoError(t, os.WriteFile(path, []byte(test.text), 0o600))
			_, err = Read(path)
			assert.ErrorContains(t, err, path+": ")
		})
	}
	_, err := Read(filepath.Join(t.TempDir(), "missing.yaml"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

const mixed = configured + `
cases:
- {name: good, request: ` + list + `, expect: {flowSchema: builders}}
- {name: bad, request: ` + list + `, expect: {priorityLevel: "<x>"}}
- {name: broken, request: {verb: list, resource: pods, user: alice, path: pods}, expect: {seats: 1}}
`

func TestTable(t *testing.T) {
	r := run(t, mixed)
	r.Notes = []string{"Assumed."}
	var out bytes.Buffer
	require.NoError(t, r.WriteTable(&out, table.Options{}))
	assert.Equal(t, `RESULT  CASE    FLOW SCHEMA  LEVEL  FLOW                              SEATS
pass    good    builders     ci     system:serviceaccount:ci:builder      5
FAIL    bad     builders     ci     system:serviceaccount:ci:builder      5
FAIL    broken  -            -      -                                     -

case "bad": expected priority level "<x>", got "ci": that is the level of flow schema "builders"
case "broken": invalid request: path "pods" must begin with a slash
1 passed, 2 failed
Note: Assumed.
`, out.String())
}

func TestJSON(t *testing.T) {
	r := run(t, mixed)
	r.Notes = nil
	text, err := json.Marshal(r)
	require.NoError(t, err)
	got := `{"flowSchema": "builders", "priorityLevel": "ci", "flow": "system:serviceaccount:ci:builder", "seats": 5}`
	assert.JSONEq(t, `{"suite": "suite.yaml", "passed": 1, "failed": 2, "cases": [
		{"name": "good", "passed": true, "got": `+got+`},
		{"name": "bad", "passed": false, "got": `+got+`,
			"failures": ["expected priority level \"<x>\", got \"ci\": that is the level of flow schema \"builders\""]},
		{"name": "broken", "passed": false, "got": null, "error": "path \"pods\" must begin with a slash"}
	]}`, string(text))
}
