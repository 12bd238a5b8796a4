package command

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	flowSchema = `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: robots
spec:
  priorityLevelConfiguration:
    name: workload-low
  matchingPrecedence: 900
  distinguisherMethod:
    type: ByUser
  rules:
  - subjects:
    - kind: User
      user:
        name: robot
    resourceRules:
    - verbs: ["*"]
      apiGroups: ["*"]
      resources: ["*"]
      clusterScope: true
      namespaces: ["*"]
`
	suiteText = `apiVersion: suite.flowcontrol-apiserver.io/v1
kind: Suite
configuration:
  release: "1.33"
  files: [flowschemas.yaml]
cases:
- name: robots are robots
  request: {verb: list, resource: pods, namespace: shop, user: robot}
  expect: {flowSchema: %s, priorityLevel: workload-low, flow: robot}
`
	auditEvent = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"1","stage":"ResponseComplete","requestURI":"/api/v1/pods",` +
		`"verb":"list","user":{"username":"robot","groups":["system:authenticated"]},"sourceIPs":["127.0.0.1"],"objectRef":{"resource":"pods","apiVersion":"v1"},` +
		`"responseStatus":{"metadata":{},"code":429},"requestReceivedTimestamp":"2026-05-06T07:08:00.000000Z","stageTimestamp":"2026-05-06T07:08:00.100000Z"}` + "\n"
)

func TestEveryHelpBeginsWithTheCommandAndHasExamples(t *testing.T) {
	for name, c := range commands(t) {
		t.Run(name, func(t *testing.T) {
			assert.True(t, strings.HasPrefix(c.Long, "kubectl apf "+name+" "), "the help of %s must begin with the command", name)
			assert.Contains(t, c.Example, "kubectl apf "+name)
			assert.True(t, strings.HasPrefix(c.UseLine(), "kubectl apf "+name), c.UseLine())
			got := run(t, name, "--help")
			assert.Zero(t, got.status)
			assert.True(t, strings.HasPrefix(got.out, c.Long+"\n\nUsage:\n  "+c.UseLine()+"\n\nExamples:\n"+c.Example+"\n"), got.out)
			assert.Contains(t, got.out, "\nFlags:\n")
			for line := range strings.Lines(c.Long + "\n" + c.Example) {
				assert.LessOrEqual(t, len(strings.TrimRight(line, "\n")), 110, line)
			}
		})
	}
	root := run(t)
	assert.Zero(t, root.status)
	assert.True(t, strings.HasPrefix(root.out, "kubectl apf "), root.out)
	assert.Contains(t, root.out, "\n  top         Show who holds the seats\n")
}

// examples returns the command lines of the examples, without what a shell does with
// their output.
func examples(text string) (lines [][]string) {
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), "kubectl apf ")
		if !ok {
			continue
		}
		line, _, _ = strings.Cut(line, " | ")
		line, _, _ = strings.Cut(line, " > ")
		lines = append(lines, words(line))
	}
	return lines
}

// words returns the words of a command line; some are in double quotes.
func words(line string) []string {
	quoted := false
	fields := strings.FieldsFunc(line, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	})
	for i := range fields {
		fields[i] = strings.ReplaceAll(fields[i], `"`, "")
	}
	return fields
}

func TestExamplesRun(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "flowschemas.yaml", flowSchema)
	write(t, "suite.yaml", fmt.Sprintf(suiteText, "robots"))
	write(t, "audit.log", auditEvent)
	write(t, "scaler.log", throttledLine+`E0506 07:08:10.000000       1 leaderelection.go:332] error retrieving resource lock shop/scaler: etcdserver: request timed out`+"\n"+
		strings.Replace(throttledLine, "07:08:00", "07:08:10", 1))
	writeTrace(t, "trace.jsonl")
	writeTrace(t, "scaler.trace", "system:serviceaccount:shop:scaler")
	writeTrace(t, "shop.trace.gz")
	for _, name := range []string{"cluster.yaml", "change.yaml", "shop-default.yaml"} {
		write(t, name, flowSchema)
	}
	write(t, "operator.log", `Waited for 1s, request: GET:https://server/api/v1/pods - retries: 1, retry-after: 1s - retry-reason: due to server-side throttling, FlowSchema UID: "schema-0"`)
	write(t, "response.txt", "X-Kubernetes-Pf-Flowschema-Uid: schema-0\n")
	for name, c := range commands(t) {
		t.Run(name, func(t *testing.T) {
			lines := examples(c.Example)
			require.NotEmpty(t, lines)
			for _, line := range lines {
				if joined := strings.Join(line, " "); strings.Contains(joined, "--watch") || strings.Contains(joined, "--web") || strings.Contains(joined, "--interval=5m") {
					line = append(line, "--help") // these run until interrupted, and have tests of their own
				}
				server := newAPIServer(t)
				if slices.Contains(line, "--user=system:serviceaccount:shop:scaler") {
					server.responses["/debug/api_priority_and_fairness/rejections"] = rejection // flowcontrol-apiserver's
				}
				if strings.Contains(strings.Join(line, " "), "must-gather") || strings.Contains(strings.Join(line, " "), "manifests") || strings.Contains(strings.Join(line, " "), "/var/log") {
					continue // source and record test directories
				}
				if name == "top" {
					line = append(line, "--interval=0")
				}
				if slices.Contains([]string{"record", "simulate", "size", "test", "version"}, line[0]) {
					got := run(t, line...)
					assert.Zero(t, got.status, "%s: %s", line, got.errOut)
					continue
				}
				got := server.run(t, line...)
				assert.LessOrEqual(t, got.status, statusFindings, "%s: %s", line, got.errOut)
				assert.NotEmpty(t, got.out)
			}
		})
	}
}
