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

// evenLog is an audit log of a service account that sends ten requests at once, and then
// five a second.
func evenLog() string {
	var log strings.Builder
	at := now.Add(-time.Hour)
	for k := range 200 {
		if k > 9 {
			at = at.Add(200 * time.Millisecond)
		}
		const layout = "2006-01-02T15:04:05.000000Z"
		fmt.Fprintf(&log, `{"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":"%d","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/shop/pods/a","verb":"get",`+
			`"user":{"username":"system:serviceaccount:shop:scaler","groups":["system:serviceaccounts","system:serviceaccounts:shop","system:authenticated"]},"sourceIPs":["10.0.0.1"],`+
			`"responseStatus":{"code":200},"requestReceivedTimestamp":%q,"stageTimestamp":%q}`+"\n", k, at.Format(layout), at.Add(10*time.Millisecond).Format(layout))
	}
	return log.String()
}

func TestLintOfLogs(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "even.log", evenLog())
	write(t, "scaler.log", throttledLine)
	write(t, "quiet.log", "Nothing happened.\n")
	const user = "system:serviceaccount:shop:scaler"
	for _, test := range []struct {
		name   string
		args   []string
		status int
		says   []string
	}{
		{"requests that arrive evenly are probably limited", []string{"--audit-log=even.log"}, statusOK, []string{
			"info FC603 User/" + user, "probably waits for its own limit", "5 a second for 38s after 10 at once", `"workload-low", had at least 235 seats free`,
			"Requests that the logs leave out are not counted.", "Note: An audit log has no requests that its policy drops.", "Note: Findings about clients: the logs name no flow schema for 200 of 200 requests",
		}},
		{"the client's own log makes it sure", []string{"--audit-log=even.log", "--client-log=" + user + "=scaler.log", "--fail-on=warning"}, statusFindings, []string{
			"warning FC603 User/" + user, "its log says so at least 1 times, for up to 1.2s, and ", "or drop it (QPS -1)",
		}},
		{"without a log of the servers the free seats are unknown", []string{"--client-log=" + user + "=scaler.log"}, statusOK, []string{
			"info FC603 User/" + user, `How many seats of its priority level, "workload-low", were free meanwhile is unknown.`, "Keep the limit until this is known",
		}},
		{"without a user the level is unknown", []string{"--client-log=scaler.log", "-o=wide"}, statusOK, []string{"Log/scaler.log", "Its priority level is unknown"}},
		{"a log without waits is an error", []string{"--client-log=quiet.log"}, statusFailed, []string{"quiet.log: no line of client-go about waits"}},
		{"a log without requests is an error", []string{"--audit-log=quiet.log"}, statusFailed, []string{"quiet.log: no event"}},
		{"a time zone that does not exist", []string{"--audit-log=even.log", "--log-time-zone=Mars/Base"}, statusFailed, []string{"--log-time-zone"}},
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

func TestFindingsAboutClientsHaveNames(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "even.log", evenLog())
	got := run(t, "lint", "--offline", "--audit-log=even.log", "-o=name")
	assert.Equal(t, "user/system:serviceaccount:shop:scaler\n", got.out, got.errOut)
}
