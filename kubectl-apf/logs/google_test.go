package logs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// google returns an entry of Cloud Logging as Google Kubernetes Engine writes it.
func google(method, resource, status string) string {
	return `{"insertId":"1","logName":"projects/p/logs/cloudaudit.googleapis.com%2Fdata_access","protoPayload":{"@type":"type.googleapis.com/google.cloud.audit.AuditLog",` +
		`"authenticationInfo":{"principalEmail":"system:serviceaccount:shop:scaler"},"authorizationInfo":[{"granted":true,"permission":"` + method + `","resource":"` + resource + `"}],` +
		`"methodName":"` + method + `","requestMetadata":{"callerIp":"10.0.0.7","callerSuppliedUserAgent":"scaler/v1"},"resourceName":"` + resource + `","serviceName":"k8s.io"` + status + `},` +
		`"operation":{"first":true,"id":"5d0f","last":true,"producer":"k8s.io"},"receiveTimestamp":"2026-11-22T10:00:09Z","timestamp":"2026-11-22T10:00:00.5Z"}`
}

func TestEntriesOfGoogleKubernetesEngine(t *testing.T) {
	groups := []string{"system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"}
	for _, test := range []struct {
		name, method, resource, status string
		want                           flow.Attributes
		code                           int
	}{
		{"a list of the core group", "io.k8s.core.v1.pods.list", "core/v1/namespaces/shop/pods", "", flow.Attributes{
			Verb: "list", IsResourceRequest: true, APIVersion: "v1", Resource: "pods", Namespace: "shop",
		}, 200},
		{"an object of another group", "io.k8s.coordination.v1.leases.update", "coordination.k8s.io/v1/namespaces/shop/leases/lock", `,"status":{"code":0}`, flow.Attributes{
			Verb: "update", IsResourceRequest: true, APIGroup: "coordination.k8s.io", APIVersion: "v1", Resource: "leases", Namespace: "shop", Name: "lock",
		}, 200},
		{"a subresource, rejected", "io.k8s.core.v1.nodes.status.patch", "core/v1/nodes/n1/status", `,"status":{"code":8,"message":"Too many requests"}`, flow.Attributes{
			Verb: "patch", IsResourceRequest: true, APIVersion: "v1", Resource: "nodes", Subresource: "status", Name: "n1",
		}, 429},
		{"a path", "io.k8s.get", "healthz", "", flow.Attributes{Verb: "get", Path: "/healthz"}, 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			events, summary := readEvents(t, google(test.method, test.resource, test.status)+"\n")
			require.Len(t, events, 1)
			e := events[0]
			test.want.User, test.want.Groups = "system:serviceaccount:shop:scaler", groups
			assert.Equal(t, test.want, e.Attributes())
			assert.Equal(t, []any{test.code, "5d0f", "10.0.0.7", "scaler/v1"}, []any{e.Status, e.ID, e.Address, e.Client})
			assert.True(t, e.Completed.IsZero() && e.Latency == nil && e.Wait == nil && e.GroupsImplied, "the entry has none of these")
			assert.Equal(t, e.Arrival, e.End())
			assert.Zero(t, summary.Skipped)
		})
	}
}

func TestOtherEntriesOfCloudLoggingAreNoEvents(t *testing.T) {
	mine := google("io.k8s.core.v1.pods.list", "core/v1/pods", "")
	begins := strings.Replace(mine, `"last":true,`, "", 1)
	others := strings.Replace(mine, `"serviceName":"k8s.io"`, `"serviceName":"container.googleapis.com"`, 1)
	events, _ := readEvents(t, begins+"\n"+others+"\n"+mine+"\n")
	assert.Len(t, events, 1, "the beginning of a watch is no complete request, and other services have no requests")
	events, _ = readEvents(t, "["+mine+",\n"+mine+"]")
	assert.Len(t, events, 2, "as gcloud logging read --format=json prints them")
}
