package logs

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
)

func waits(t *testing.T, log string) []Wait {
	t.Helper()
	var all []Wait
	require.NoError(t, ClientReader{Waited: func(w Wait) { all = append(all, w) }}.Read("client.log", strings.NewReader(log)))
	return all
}

func TestLines(t *testing.T) {
	const second = 1020 * time.Millisecond
	for _, test := range []struct {
		name, line string
		byServer   bool
	}{
		{"klog", `I1227 02:28:17.977042       1 request.go:629] Waited for 1.02s due to client-side throttling, not priority and fairness, request: GET:https://10.233.0.1:443/api/v1/namespaces/shop/pods/web`, false},
		{"up to 0.20", `I0214 10:00:00.000000       1 request.go:597] Throttling request took 1.02s, request: GET:https://server/api/v1/namespaces/shop/pods/web`, false},
		{"zap for people", "2022-03-14T13:44:25.433Z\tlvl-3\tklog\trest/request.go:597\tWaited for 1.02s due to client-side throttling, not priority and fairness, request: GET:https://10.96.0.1:443/api/v1/namespaces/shop/pods/web", false},
		{"logrus, and a time before", `2023-12-25T19:46:19.742244330Z level=info msg="Waited for 1.02s due to client-side throttling, not priority and fairness, request: GET:https://localhost:7445/api/v1/namespaces/shop/pods/web" subsys=klog`, false},
		{"fields", `I1126 06:00:00.000000       1 request.go:752] "Waited before sending request" delay="1.02s" reason="client-side throttling, not priority and fairness" verb="GET" URL="https://10.0.0.1/api/v1/namespaces/shop/pods/web"`, false},
		{"JSON of component-base", `{"ts":1795341600250.1,"caller":"rest/request.go:752","msg":"Waited before sending request","v":0,"delay":"1.02s","reason":"client-side throttling, not priority and fairness","verb":"GET","URL":"https://10.0.0.1/api/v1/namespaces/shop/pods/web"}`, false},
		{"JSON of zap, in JSON of Docker", `{"log":"{\"level\":\"info\",\"msg\":\"Waited before sending request\",\"delay\":1.02,\"reason\":\"client-side throttling, not priority and fairness\",\"verb\":\"GET\",\"URL\":\"https://10.0.0.1/api/v1/namespaces/shop/pods/web\"}\n","stream":"stderr"}`, false},
		{"a retry that the server asked for", `I1227 02:28:17.977042       1 request.go:629] Waited for 1.02s, request: GET:https://server/api/v1/namespaces/shop/pods/web - retries: 1, retry-after: 1s - retry-reason: due to server-side throttling, FlowSchema UID: "7"`, true},
		{"the same in fields", `"Waited before sending request" delay="1.02s" reason="retries: 1, retry-after: 1s - retry-reason: due to server-side throttling, FlowSchema UID: \"7\"" verb="GET" URL="https://10.0.0.1/api/v1/namespaces/shop/pods/web"`, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := waits(t, "Starting controller\n"+test.line+"\nI1227 02:28:18.0 1 a.go:1] Waited for caches\n")
			require.Len(t, all, 1)
			assert.Equal(t, second, all[0].Delay)
			assert.Equal(t, test.byServer, all[0].ByServer)
			assert.Equal(t, test.byServer, all[0].FlowSchema == "7")
			a := all[0].Attributes
			assert.Equal(t, []string{"get", "pods", "shop", "web"}, []string{a.Verb, a.Resource, a.Namespace, a.Name})
		})
	}
}

func TestLogWithoutWaitsIsAnError(t *testing.T) {
	for _, log := range []string{"", "I1227 02:28:18.0 1 a.go:1] Waited for caches\n", "Waited for a, request: none"} {
		require.ErrorIs(t, ClientReader{}.Read("client.log", strings.NewReader(log)), ErrNoWaits)
	}
}

// TestLinesOfClientGo reads what client-go writes about a client that is limited. Its time is
// synctest's, so its second request waits for just what the limit says: ten a second.
func TestLinesOfClientGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		ctx := klog.NewContext(t.Context(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Verbosity(3), textlogger.Output(&log))))
		client, err := rest.RESTClientFor(&rest.Config{
			Host: "https://server", QPS: 10, Burst: 1, APIPath: "/api", Transport: notFound{},
			ContentConfig: rest.ContentConfig{GroupVersion: &schema.GroupVersion{Version: "v1"}, NegotiatedSerializer: scheme.Codecs},
		})
		require.NoError(t, err)
		for range 2 {
			client.Get().Namespace("shop").Resource("pods").Do(ctx)
		}
		all := waits(t, log.String())
		require.Len(t, all, 1, log.String())
		assert.False(t, all[0].ByServer)
		assert.InDelta(t, 100*time.Millisecond, all[0].Delay, float64(time.Millisecond))
		assert.Equal(t, "list", all[0].Attributes.Verb)
	})
}

// notFound is a transport without a server: it answers 404 to each request.
type notFound struct{}

func (notFound) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	http.NotFound(answer, r)
	return answer.Result(), nil
}

// A request whose deadline is before the end of its wait fails: the worst form of a client's limit.
func TestRequestsThatTheLimiterFails(t *testing.T) {
	for _, log := range []string{
		`E1120 error retrieving resource lock argo/lock: Get "https://10.0.0.1:443/api/v1/namespaces/shop/pods/web": client rate limiter Wait returned an error: context deadline exceeded`,
		`{"level":"error","msg":"get: Get \"https://10.0.0.1:443/api/v1/namespaces/shop/pods/web\": client rate limiter Wait returned an error: rate: Wait(n=1) would exceed context deadline"}`,
	} {
		all := waits(t, log+"\n")
		require.Len(t, all, 1)
		assert.True(t, all[0].Failed && !all[0].ByServer)
		a := all[0].Attributes
		assert.Equal(t, []string{"get", "pods", "shop", "web"}, []string{a.Verb, a.Resource, a.Namespace, a.Name})
	}
	assert.True(t, waits(t, "client rate limiter Wait returned an error: context canceled\n")[0].Failed, "without a URL")
}

func TestFailedLists(t *testing.T) {
	const user = "system:serviceaccount:cert:webhook"
	missing := FailedList{Version: "v1beta3", Kind: "FlowSchema"}
	warned := missing
	warned.Warning = true
	for _, test := range []struct {
		line string
		want []FailedList
	}{
		{`W0307 09:07:34.843358       1 reflector.go:424] k8s.io/client-go/informers/factory.go:134: failed to list *v1beta3.FlowSchema: the server could not find the requested resource`, []FailedList{warned}},
		{`E0307 09:07:34.843372       1 reflector.go:140] k8s.io/client-go/informers/factory.go:134: Failed to watch *v1beta3.FlowSchema: failed to list *v1beta3.FlowSchema: the server could not find the requested resource`, []FailedList{missing}},
		{`E0307 09:07:34.843372       1 reflector.go:200] "Failed to watch" err="failed to list *v1beta3.FlowSchema: the server could not find the requested resource" logger="UnhandledError" reflector="k8s.io/client-go/informers/factory.go:160" type="*v1beta3.FlowSchema"`, []FailedList{missing}},
		{`E0307 1 reflector.go:138] k8s.io/client-go/informers/factory.go:134: Failed to watch *v1beta1.PriorityLevelConfiguration: failed to list *v1beta1.PriorityLevelConfiguration: the server could not find the requested resource (get prioritylevelconfigurations.flowcontrol.apiserver.k8s.io)`, []FailedList{{Version: "v1beta1", Kind: "PriorityLevelConfiguration"}}},
		{`W0307 1 reflector.go:424] pkg/mod: failed to list *v1beta2.FlowSchema: flowschemas.flowcontrol.apiserver.k8s.io is forbidden: User "` + user + `" cannot list resource "flowschemas" in API group "flowcontrol.apiserver.k8s.io" at the cluster scope`, []FailedList{{Version: "v1beta2", Kind: "FlowSchema", Forbidden: true, User: user, Warning: true}}},
		{`{"ts":1.0,"msg":"Failed to watch","err":"failed to list *v1.FlowSchema: flowschemas.flowcontrol.apiserver.k8s.io is forbidden: User \"` + user + `\" cannot list resource"}`, []FailedList{{Version: "v1", Kind: "FlowSchema", Forbidden: true, User: user}}},
		{`failed to list *v1.FlowSchema: dial tcp 10.0.0.1:443: connect: connection refused`, nil},
		{`failed to list *v1beta1.CronJob: the server could not find the requested resource`, nil},
	} {
		var got []FailedList
		err := ClientReader{Failed: func(f FailedList) { got = append(got, f) }}.Read("client.log", strings.NewReader(test.line+"\n"))
		assert.Equal(t, test.want, got, test.line)
		if test.want == nil {
			assert.ErrorIs(t, err, ErrNoWaits)
		}
	}
}
