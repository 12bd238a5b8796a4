package command

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

func TestWhatCannotBeDoneIsOneSentenceAndStatus2(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "schemas.yaml", flowSchema)
	write(t, "audit.log", auditEvent)
	write(t, "broken.yaml", "\tthis: is not\nYAML")
	write(t, "pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n")
	server := newAPIServer(t)
	invokeBy(t, []invocation{
		{"a command that is none", []string{"watch"}, statusFailed, []string{`unknown command "watch" for "kubectl apf"; 'kubectl apf --help' lists the commands`}},
		{"a command that is mistyped", []string{"explian"}, statusFailed, []string{`unknown command "explian" for "kubectl apf": did you mean explain?`}},
		{"a flag that is none", []string{"top", "--colour"}, statusFailed, []string{"unknown flag: --colour; 'kubectl apf top --help' lists the flags"}},
		{"a view that is none", []string{"top", "pods"}, statusFailed, []string{`top shows levels, flows or requests, not "pods"`}},
		{"an order that is none", []string{"top", "--sort=size"}, statusFailed, []string{`the sort key "size" must be one of seats`}},
		{"an order of another view", []string{"top", "levels", "--sort=age"}, statusFailed, []string{`the sort key "age" must be one of seats`}},
		{"a limit below nothing", []string{"top", "--limit=-1"}, statusFailed, []string{"the limit -1 must not be negative"}},
		{"a watch without time", []string{"top", "--watch", "--interval=0"}, statusFailed, []string{"--interval is 0s: must be more than 0"}},
		{"a format that is none", []string{"top", "-o", "xml"}, statusFailed, []string{`the output format "xml" must be one of json, yaml, wide`}},
		{"a severity that is none", []string{"lint", "--fail-on=fatal"}, statusFailed, []string{`--fail-on is "fatal": must be error, warning or info`}},
		{"no request", []string{"explain", "list"}, statusFailed, []string{"a request must be VERB RESOURCE"}},
		{"a resource that is none", []string{"explain", "list", "unicorns"}, statusFailed, []string{"unicorns"}},
		{"no UID", []string{"whose"}, statusFailed, []string{"UIDs are required, or -f"}},
		{"a response without headers", []string{"whose", "-f", "schemas.yaml"}, statusFailed, []string{"schemas.yaml: the response has no header X-Kubernetes-PF-FlowSchema-UID"}},
		{"an interval below nothing", []string{"top", "--interval=-1s"}, statusFailed, []string{"--interval is -1s: must not be negative"}},
		{"a lease without a namespace", []string{"why", "--lease=scaler", "-f", "audit.log"}, statusFailed, []string{`--lease is "scaler": must be NAMESPACE/NAME`}},
		{"a lease without a log", []string{"why", "--lease=shop/scaler"}, statusFailed, []string{"--lease requires a log"}},
		{"fewer servers than none", []string{"why", "-f", "audit.log", "--log-servers=-1"}, statusFailed, []string{"--log-servers is -1: must not be negative"}},
		{"a lease after a space", []string{"why", "--lease", "scaler", "-f", "audit.log"}, statusFailed, []string{`--lease is "scaler": must be NAMESPACE/NAME`}},
		{"a lease that no log has", []string{"why", "--lease=shop/scaler", "-f", "audit.log"}, statusFailed, []string{"no log has a request for lease shop/scaler"}},
		{"limits that contradict each other", []string{"why", "--lease=shop/scaler", "-f", "audit.log", "--renew-deadline=20s"}, statusFailed, []string{"--lease-duration 15s must be more than --renew-deadline 20s"}},
		{"the log of a client without a lease", []string{"why", "-f", "audit.log", "--client-log=a.log"}, statusFailed, []string{"require --lease"}},
		{"nothing to say why about", []string{"why"}, statusFailed, []string{"--user, --flow-schema or a log (-f) is required"}},
		{"an audit log that is none", []string{"why", "-f", "schemas.yaml"}, statusFailed, []string{"schemas.yaml: no event"}},
		{"nothing to compare with", []string{"diff"}, statusFailed, []string{"-f or -k is required"}},
		{"a file that is absent", []string{"diff", "-f", "absent.yaml"}, statusFailed, []string{"absent.yaml"}},
		{"a file that is no YAML", []string{"lint", "-f", "broken.yaml"}, statusFailed, []string{"broken.yaml"}},
		{"a file of another kind", []string{"lint", "-f", "pod.yaml"}, statusFailed, []string{"The files contain no FlowSchema and no PriorityLevelConfiguration."}},
		{"a cluster offline", []string{"lint", "--offline", "--server=https://127.0.0.1:1"}, statusFailed, []string{"--offline and --server exclude each other"}},
		{"a release that is none", []string{"lint", "--offline", "--release=2.0"}, statusFailed, []string{"2.0"}},
		{"a server that is away", []string{"top", "--server=https://127.0.0.1:1"}, statusFailed, []string{"127.0.0.1:1"}},
	}, server.run)
}

func TestExitStatus(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "flowschemas.yaml", flowSchema)
	write(t, "dangling.yaml", strings.ReplaceAll(flowSchema, "workload-low", "gone"))
	write(t, "never.yaml", strings.ReplaceAll(flowSchema, "matchingPrecedence: 900", "matchingPrecedence: 9999"))
	write(t, "audit.log", auditEvent)
	write(t, "quiet.log", strings.ReplaceAll(auditEvent, "429", "200"))
	offline := []string{"--offline", "--release=1.33", "--total=600"}
	for _, test := range []struct {
		name string
		args []string
		want int
	}{
		{"no finding", append([]string{"lint", "-f", "flowschemas.yaml"}, offline...), statusOK},
		{"an error", append([]string{"lint", "-f", "dangling.yaml"}, offline...), statusFindings},
		{"a warning is below the threshold", append([]string{"lint", "-f", "never.yaml"}, offline...), statusOK},
		{"a warning reaches the threshold", append([]string{"lint", "-f", "never.yaml", "--fail-on=warning"}, offline...), statusFindings},
		{"a change", append([]string{"diff", "-f", "flowschemas.yaml"}, offline...), statusFindings},
		{"a request that was rejected", append([]string{"why", "-f", "audit.log"}, offline...), statusFindings},
		{"no request was rejected", append([]string{"why", "-f", "quiet.log"}, offline...), statusOK},
		{"an explanation", append([]string{"explain", "get", "/healthz", "--as=bob"}, offline...), statusOK},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := run(t, test.args...)
			assert.Equal(t, test.want, got.status, got.errOut)
			assert.Empty(t, got.errOut)
			assert.NotEmpty(t, got.out)
			assert.NotContains(t, got.out, "\x1b", "no colour where there is no terminal")
		})
	}
}

func TestAUIDThatNeverWas(t *testing.T) {
	got := newAPIServer(t).run(t, "whose", "none")
	assert.Equal(t, statusFindings, got.status, got.errOut)
}

func TestFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "flowschemas.yaml", flowSchema)
	writeTrace(t, "trace.jsonl")
	server := newAPIServer(t)
	for _, line := range [][]string{
		{"top", "--interval=0"}, {"top", "flows"}, {"top", "requests"}, {"lint"}, {"whose", "schema-0", "level-0"},
		{"explain", "list", "pods"}, {"diff", "-f", "flowschemas.yaml"}, {"why", "--flow-schema=service-accounts"},
		{"size", "--trace=trace.jsonl"},
	} {
		t.Run(strings.Join(line, " "), func(t *testing.T) {
			inJSON := server.run(t, append(line, "-o", "json")...)
			var fromJSON, fromYAML any
			require.NoError(t, json.Unmarshal([]byte(inJSON.out), &fromJSON), inJSON.errOut)
			require.NoError(t, yaml.Unmarshal([]byte(server.run(t, append(line, "-o", "yaml")...).out), &fromYAML))
			assert.Equal(t, fromJSON, fromYAML)
			assert.NotEmpty(t, server.run(t, append(line, "-o", "wide")...).out)
		})
	}
}

func TestOneServerIsThatOfKubectlAndSeveralAreTheReplicas(t *testing.T) {
	one, other := newAPIServer(t), newAPIServer(t)
	seats := func(args ...string) (seats float64, replicas int) {
		got := run(t, append(args, "top", "--interval=0", "-o", "json", "--insecure-skip-tls-verify", "--kubeconfig=", "--token=t")...)
		require.Zero(t, got.status, got.errOut)
		var answer struct {
			Total struct {
				SeatsInUse float64
				Replicas   int
			}
		}
		require.NoError(t, json.Unmarshal([]byte(got.out), &answer))
		return answer.Total.SeatsInUse, answer.Total.Replicas
	}
	t.Setenv("KUBECONFIG", "")
	t.Setenv("HOME", t.TempDir())
	used, replicas := seats("-s", one.URL)
	assert.Equal(t, []float64{3, 1}, []float64{used, float64(replicas)})
	used, replicas = seats("--server", one.URL, "--server", other.URL)
	assert.Equal(t, []float64{6, 2}, []float64{used, float64(replicas)})
}

func TestExplainIsAboutTheUserOfTheKubeconfig(t *testing.T) {
	server := newAPIServer(t)
	got := server.run(t, "explain", "list", "pods", "-o", "json")
	require.Zero(t, got.status, got.errOut)
	var answer struct {
		Request struct{ User, Namespace string }
		Seats   struct{ CountedObjects, Initial int }
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &answer))
	assert.Equal(t, "alice", answer.Request.User)
	assert.Equal(t, "shop", answer.Request.Namespace, "the context's")
	got = server.run(t, "explain", "list", "pods", "--as=bob", "-n", "other", "-o", "json")
	require.NoError(t, json.Unmarshal([]byte(got.out), &answer))
	assert.Equal(t, "bob", answer.Request.User)
	assert.Equal(t, "other", answer.Request.Namespace)
}

func TestVersionIsOneLine(t *testing.T) {
	assert.Regexp(t, `^kubectl-apf v\d+\.\d+\.\d+ \(go[\d.]+.*\)\n$`, run(t, "version").out)
}

func TestServersDifferOnALevelWithoutSeats(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "shut-out.yaml", strings.ReplaceAll(flowSchema, "workload-low", "shut-out")+`---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: shut-out
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 0
    borrowingLimitPercent: 0
    limitResponse:
      type: Reject
`)
	for version, decision := range map[string]string{"v1.33.4": "executes", "v1.33.13+flowcontrol-apiserver.0.1.0": "rejected"} {
		server := newAPIServer(t)
		server.responses["/version"] = map[string]string{"major": "1", "minor": "33", "gitVersion": version}
		server.responses["/metrics"] = strings.ReplaceAll(metrics(0, 0), "workload-low", "shut-out")
		server.responses["/metrics"] = strings.ReplaceAll(server.responses["/metrics"].(string), "seats{flow_schema=\"service-accounts\",priority_level=\"shut-out\"} 3", "seats{flow_schema=\"service-accounts\",priority_level=\"shut-out\"} 0")
		got := server.run(t, "explain", "list", "pods", "--as=robot", "-f", "shut-out.yaml", "-o", "json")
		require.Zero(t, got.status, got.errOut)
		var answer struct {
			Outcome struct{ Decision, Why string }
		}
		require.NoError(t, json.Unmarshal([]byte(got.out), &answer))
		assert.Equal(t, decision, answer.Outcome.Decision, "%s: %s", version, answer.Outcome.Why)
	}
}

// A pipe that never ends stands for a long file.
func TestInterruptEndsACommandThatReads(t *testing.T) {
	in, end := io.Pipe()
	defer end.Close() //nolint:errcheck // it has no error
	ctx, interrupt := context.WithCancel(t.Context())
	var out, errOut bytes.Buffer
	env := environment(&out, &errOut)
	env.In = in
	status := make(chan int)
	go func() {
		status <- Run(ctx, env, []string{"kubectl-apf", "lint", "--offline", "--release=1.33", "-f", "-"})
	}()
	reads := make(chan error)
	go func() {
		_, err := end.Write([]byte(" "))
		reads <- err
	}()
	select {
	case err := <-reads:
		require.NoError(t, err)
	case <-status:
		require.Fail(t, "it does not read", errOut.String())
	}
	interrupt()
	assert.Equal(t, statusFailed, <-status)
	assert.Equal(t, "error: interrupted\n", errOut.String())
}

func TestErrorsShowControlCharacters(t *testing.T) {
	got := run(t, "lint", "--offline", "-f", "\x1b[2Jx.yaml")
	assert.Equal(t, statusFailed, got.status)
	assert.Contains(t, got.errOut, `\u001b[2Jx.yaml`)
}
