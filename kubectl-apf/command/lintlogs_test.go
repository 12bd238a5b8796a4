package command

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/e2e/auditlines"
)

// throttledLine is what client-go 0.32 logs.
const throttledLine = `I0506 07:08:00.000000       1 request.go:700] Waited for 1.2s due to client-side throttling, not priority and fairness, request: GET:https://10.0.0.1/api/v1/namespaces/shop/pods` + "\n"

// scalerLog is an audit log of a service account.
func scalerLog() string {
	return auditlines.Of("get", "/api/v1/namespaces/shop/pods/a", "system:serviceaccount:shop:scaler", 0, func(e *auditv1.Event) {
		e.User.Groups, e.SourceIPs = []string{"system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"}, []string{"10.0.0.1"}
		e.RequestReceivedTimestamp = metav1.NewMicroTime(now.Add(-time.Hour))
		e.StageTimestamp = metav1.NewMicroTime(now.Add(-time.Hour + 10*time.Millisecond))
	}) + "\n"
}

// deprecatedLog has a client of v1beta3, before and after a server lost it, two nodes that call another version,
// and one that calls a version that no release removes.
func deprecatedLog() string {
	var log strings.Builder
	for second, e := range []struct {
		user, uri, agent, removed string
		code                      int32
		address                   string
	}{
		{"system:serviceaccount:cert:webhook", "/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas", "webhook/v0", "1.32", 200, "10.0.0.1"},
		{"system:node:a", "/apis/autoscaling/v2beta2/horizontalpodautoscalers", "kubelet/v1.20", "1.26", 200, "10.0.0.1"},
		{"system:serviceaccount:cert:webhook", "/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas", "webhook/v0", "", 404, "10.0.0.1"},
		{"system:node:b", "/apis/autoscaling/v2beta2/horizontalpodautoscalers", "kubelet/v1.20", "1.26", 200, "10.0.0.2"},
		{"alice", "/api/v1/endpoints", "kubectl/v1.33", "", 200, "10.0.0.1"},
	} {
		log.WriteString(auditlines.Of("list", e.uri, e.user, 0, func(event *auditv1.Event) {
			at := metav1.NewMicroTime(time.Date(2026, time.May, 6, 7, 0, second, 0, time.UTC))
			event.AuditID, event.RequestReceivedTimestamp, event.StageTimestamp = types.UID(strconv.Itoa(second)), at, at
			event.User.Groups, event.SourceIPs, event.UserAgent, event.ResponseStatus.Code = nil, []string{e.address}, e.agent, e.code
			if e.code == 200 {
				event.Annotations = map[string]string{"k8s.io/deprecated": "true"}
			}
			if e.removed != "" {
				event.Annotations["k8s.io/removed-release"] = e.removed
			}
		}) + "\n")
	}
	return log.String()
}

func TestWhyNamesClientsOfDeprecatedVersionsOfFlowControl(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "deprecated.log", deprecatedLog())
	got := run(t, "why", "-f", "deprecated.log", "--offline", "--release=1.33")
	assert.Equal(t, statusOK, got.status, got.errOut)
	assert.Contains(t, got.out, "- Install a release of the client that calls flowcontrol.apiserver.k8s.io/v1,")
	assert.Contains(t, got.out, "  User/system:serviceaccount:cert:webhook: This client calls flowcontrol.apiserver.k8s.io/v1beta3 (flowschemas)")
	assert.NotContains(t, got.out, "autoscaling/")
	assert.NotContains(t, run(t, "why", "-f", "deprecated.log", "--user=alice", "--offline", "--release=1.33").out, "webhook")
}

func TestLintOfLogs(t *testing.T) {
	const user = "system:serviceaccount:shop:scaler"
	t.Chdir(t.TempDir())
	write(t, "audit.log", scalerLog())
	write(t, "proxy.log", strings.Replace(scalerLog(), `"system:serviceaccount:shop:scaler","groups":["system:serviceaccounts","system:serviceaccounts:shop",`, `"system:kube-proxy","groups":[`, 1))
	write(t, "scaler.log", throttledLine)
	const missing = "failed to list *v1beta3.FlowSchema: the server could not find the requested resource\n"
	write(t, "webhook.log", "W0307 reflector.go:424] a.go:134: "+missing+"E0307 reflector.go:140] a.go:134: Failed to watch *v1beta3.FlowSchema: "+missing)
	write(t, "forbidden.log", `W0307 09:07:34.843358 1 reflector.go:424] a.go:1: failed to list *v1.FlowSchema: flowschemas.flowcontrol.apiserver.k8s.io is forbidden: User "`+user+`" cannot list resource "flowschemas"`+"\n")
	write(t, "limiter.log", `E1120 error retrieving resource lock argo/lock: Get "https://10.0.0.1:443/x": client rate limiter Wait returned an error: context deadline exceeded`+"\n")
	write(t, "server.log", `I0506 07:08:00.000000 1 request.go:655] Waited for 1.2s, request: GET:https://10.0.0.1/api/v1/pods - retries: 1, retry-after: 1s - retry-reason: due to server-side throttling, FlowSchema UID: "x"`+"\n")
	write(t, "deprecated.log", deprecatedLog())
	write(t, "again.log", deprecatedLog())
	write(t, "quiet.log", "Nothing happened.\n")
	invoke(t, []invocation{
		{"the client's own log says so, and the servers' that seats were free", []string{"--audit-log=audit.log", "--client-log=" + user + "=scaler.log", "--fail-on=warning"}, statusFindings, []string{
			"warning FC603 User/" + user, "its log says so at least 1 time, for up to 1.2s.", `"workload-low", held up none of 1 requests meanwhile.`, "Drop the limit (QPS -1)",
			"Requests that the logs leave out are not counted.", "Note: An audit log has no requests that its policy drops.", "Note: Findings about clients: the logs name no flow schema for 1 of 1 requests",
		}},
		{"without a log of the servers the free seats are unknown", []string{"--client-log=" + user + "=scaler.log"}, statusOK, []string{
			"info FC603 User/" + user, `Whether its priority level, "workload-low", held up requests meanwhile is unknown.`, "Keep the limit until this is known",
		}},
		{"without a user the level is unknown", []string{"--client-log=scaler.log", "-o=wide"}, statusOK, []string{"Log/scaler.log", "Its priority level is unknown"}},
		{"a webhook that lists a version that is not served", []string{"--client-log=webhook.log"}, statusOK, []string{
			"warning FC604 Log/webhook.log", "does not serve flowcontrol.apiserver.k8s.io/v1beta3. Its log says so 1 time.", "its /readyz fails", "all others share catch-all", "k8s.io/apiserver 0.29 or later", "flowcontrol-apiserver can serve v1beta3", "--feature-gates=APIPriorityAndFairness=false",
		}},
		{"a webhook that may not list", []string{"--client-log=forbidden.log"}, statusOK, []string{"warning FC604 User/" + user, "its user may not list", "Allow its user to get, list and watch", "--enable-priority-and-fairness=false"}},
		{"a leader that could not renew its lease", []string{"--client-log=limiter.log"}, statusOK, []string{"warning FC606 Log/limiter.log", "its log says so 1 time. What held it up, by the log: the client's own limit. kubectl apf why --lease=argo/lock says what to change"}},
		{"the client's limit fails requests", []string{"--client-log=limiter.log"}, statusOK, []string{"info FC603 Log/limiter.log", "This client waits for its own limit. At least 1 of its requests failed"}},
		{"flow control rejects the client", []string{"--client-log=" + user + "=server.log"}, statusOK, []string{
			"info FC603 User/" + user, "does not wait for its own limit. Flow control rejected its requests: its log says so 1 time, and it waited for up to 1.2s. So its limit is not what delays it.",
		}},
		{"clients of versions that a release removes", []string{"--audit-log=deprecated.log"}, statusOK, []string{
			"warning FC605 Group/system:nodes This client calls autoscaling/v2beta2 (horizontalpodautoscalers), which Kubernetes 1.26 no longer serves: 2 requests, the last at 2026-05-06T07:00:03Z from 10.0.0.1, 10.0.0.2 as kubelet/v1.20. It only lists and watches, and lists few other API groups, so it names the version. Before the upgrade to Kubernetes 1.26,",
			"warning FC605 User/system:serviceaccount:cert:webhook This client calls flowcontrol.apiserver.k8s.io/v1beta3 (flowschemas), which Kubernetes 1.32 no longer serves: 2 requests, the last at 2026-05-06T07:00:02Z from 10.0.0.1 as webhook/v0. 1 got 404: the API server does not serve the version. It only lists and watches, and lists few other API groups, so it names the version. Install a release of the client that calls flowcontrol.apiserver.k8s.io/v1, which Kubernetes serves from 1.29 on: built with k8s.io/client-go or k8s.io/apiserver 0.29 or later. Where there is none, flowcontrol-apiserver serves v1beta3 in the cluster.",
			"0 errors, 2 warnings",
		}},
		{"events that are there twice", []string{"--audit-log=deprecated.log", "--audit-log=again.log"}, statusOK, []string{"(flowschemas), which Kubernetes 1.32 no longer serves: 2 requests,", "(horizontalpodautoscalers), which Kubernetes 1.26 no longer serves: 2 requests,"}},
		{"an agent of nodes among unknown users", []string{"--audit-log=proxy.log"}, statusOK, []string{"warning FC601 User/system:kube-proxy", `"global-default"`}},
		{"a log without waits is an error", []string{"--client-log=quiet.log"}, statusFailed, []string{"quiet.log: no line of client-go about waits"}},
		{"a log without requests is an error", []string{"--audit-log=quiet.log"}, statusFailed, []string{"quiet.log: no event"}},
		{"a time zone that does not exist", []string{"--audit-log=audit.log", "--log-time-zone=Mars/Base"}, statusFailed, []string{"--log-time-zone"}},
	}, "lint", "--offline", "--release=1.33")
}
