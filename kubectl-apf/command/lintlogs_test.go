package command

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// throttledLine is what client-go 0.32 logs.
const throttledLine = `I0506 07:08:00.000000       1 request.go:700] Waited for 1.2s due to client-side throttling, not priority and fairness, request: GET:https://10.0.0.1/api/v1/namespaces/shop/pods` + "\n"

// scalerLog is an audit log of a service account.
func scalerLog() string {
	const layout = "2006-01-02T15:04:05.000000Z"
	at := now.Add(-time.Hour)
	return fmt.Sprintf(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":"1","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/shop/pods/a","verb":"get",`+
		`"user":{"username":"system:serviceaccount:shop:scaler","groups":["system:serviceaccounts","system:serviceaccounts:shop","system:authenticated"]},"sourceIPs":["10.0.0.1"],`+
		`"responseStatus":{"code":200},"requestReceivedTimestamp":%q,"stageTimestamp":%q}`+"\n", at.Format(layout), at.Add(10*time.Millisecond).Format(layout))
}

func TestLintOfLogs(t *testing.T) {
	const user = "system:serviceaccount:shop:scaler"
	t.Chdir(t.TempDir())
	write(t, "audit.log", scalerLog())
	write(t, "scaler.log", throttledLine)
	write(t, "webhook.log", "W0307 09:07:34.843358       1 reflector.go:424] k8s.io/client-go/informers/factory.go:134: failed to list *v1beta3.FlowSchema: the server could not find the requested resource\n")
	write(t, "forbidden.log", `W0307 09:07:34.843358 1 reflector.go:424] a.go:1: failed to list *v1.FlowSchema: flowschemas.flowcontrol.apiserver.k8s.io is forbidden: User "`+user+`" cannot list resource "flowschemas"`+"\n")
	write(t, "limiter.log", `E1120 lock: Get "https://10.0.0.1:443/x": client rate limiter Wait returned an error: context deadline exceeded`+"\n")
	write(t, "quiet.log", "Nothing happened.\n")
	for _, test := range []struct {
		name   string
		args   []string
		status int
		says   []string
	}{
		{"the client's own log says so, and the servers' that seats were free", []string{"--audit-log=audit.log", "--client-log=" + user + "=scaler.log", "--fail-on=warning"}, statusFindings, []string{
			"warning FC603 User/" + user, "its log says so at least 1 times, for up to 1.2s.", `"workload-low", held up none of 1 requests meanwhile.`, "or drop it (QPS -1)",
			"Requests that the logs leave out are not counted.", "Note: An audit log has no requests that its policy drops.", "Note: Findings about clients: the logs name no flow schema for 1 of 1 requests",
		}},
		{"without a log of the servers the free seats are unknown", []string{"--client-log=" + user + "=scaler.log"}, statusOK, []string{
			"info FC603 User/" + user, `Whether its priority level, "workload-low", held up requests meanwhile is unknown.`, "Keep the limit until this is known",
		}},
		{"without a user the level is unknown", []string{"--client-log=scaler.log", "-o=wide"}, statusOK, []string{"Log/scaler.log", "Its priority level is unknown"}},
		{"a webhook that lists a version that is not served", []string{"--client-log=webhook.log"}, statusOK, []string{
			"warning FC604 Log/webhook.log", "does not serve flowcontrol.apiserver.k8s.io/v1beta3: 1 lines", "its /readyz fails", "all others share catch-all", "k8s.io/apiserver 0.29 or later", "flowcontrol-apiserver can serve v1beta3", "--feature-gates=APIPriorityAndFairness=false",
		}},
		{"a webhook that may not list", []string{"--client-log=forbidden.log"}, statusOK, []string{"warning FC604 User/" + user, "its user may not list", "Allow its user to get, list and watch", "--enable-priority-and-fairness=false"}},
		{"the client's limit fails requests", []string{"--client-log=limiter.log"}, statusOK, []string{"info FC603 Log/limiter.log", "This client waits for its own limit. At least 1 of its requests failed"}},
		{"a log without waits is an error", []string{"--client-log=quiet.log"}, statusFailed, []string{"quiet.log: no line of client-go about waits"}},
		{"a log without requests is an error", []string{"--audit-log=quiet.log"}, statusFailed, []string{"quiet.log: no event"}},
		{"a time zone that does not exist", []string{"--audit-log=audit.log", "--log-time-zone=Mars/Base"}, statusFailed, []string{"--log-time-zone"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := run(t, append([]string{"lint", "--offline", "--release=1.33"}, test.args...)...)
			assert.Equal(t, test.status, got.status, got.errOut)
			for _, text := range test.says {
				assert.Contains(t, strings.Join(strings.Fields(got.out+got.errOut), " "), text)
			}
		})
	}
}
