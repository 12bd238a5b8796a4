package logs

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Lines that people pasted into reports (doris-operator#488, gpu-operator#772, camel-k#6391, rabbitmq/cluster-operator#1083,
// kuberay#2252, piraeus#234), and the forms of later client-go.
func TestLinesAboutLeases(t *testing.T) {
	const url = "https://10.96.0.1:443/apis/coordination.k8s.io/v1/namespaces/shop/leases/scaler"
	for _, test := range []struct {
		name, line string
		want       LeaseLine
	}{
		{"its own limit", `E1120 10:00:01.000000       1 leaderelection.go:332] error retrieving resource lock shop/scaler: Get "` + url + `": client rate limiter Wait returned an error: context deadline exceeded`,
			LeaseLine{Lease: "shop/scaler", Cause: CauseOwnLimit}},
		{"no answer in time", `E1120 10:00:01.000000       1 leaderelection.go:369] Failed to update lock: Put "` + url + `": context deadline exceeded`, LeaseLine{Lease: "shop/scaler", Cause: CauseUnknown}},
		{"no answer in time, by the time limit of the client", `E1120 10:00:01.000000       1 leaderelection.go:327] error retrieving resource lock shop/scaler: Get "` + url + `?timeout=5s": net/http: request canceled (Client.Timeout exceeded while awaiting headers)`, LeaseLine{Lease: "shop/scaler", Cause: CauseUnknown}},
		{"optimistically", `E1120 10:00:01.000000       1 leaderelection.go:429] Failed to update lock optimistically: etcdserver: request timed out, falling back to slow path`, LeaseLine{Cause: CauseEtcd}},
		{"etcd has a new leader", `E1120 10:00:01.000000       1 leaderelection.go:330] error retrieving resource lock etcd-system/etcd-operator: etcdserver: leader changed`, LeaseLine{Lease: "etcd-system/etcd-operator", Cause: CauseEtcd}},
		{"the name alone has etcd", `E1120 10:00:01.000000       1 leaderelection.go:330] error retrieving resource lock etcd-system/etcd-operator: context deadline exceeded`, LeaseLine{Lease: "etcd-system/etcd-operator", Cause: CauseUnknown}},
		{"flow control", `E1120 10:00:01.000000       1 leaderelection.go:369] Failed to update lock: the server has received too many requests and has asked us to try again later (put leases.coordination.k8s.io scaler)`, LeaseLine{Cause: CauseFlowControl}},
		{"nobody answers", `E1120 10:00:01.000000       1 leaderelection.go:330] error retrieving resource lock shop/scaler: Get "` + url + `": dial tcp 10.96.0.1:443: connect: connection refused`, LeaseLine{Lease: "shop/scaler", Cause: CauseServer}},
		{"credentials that expired", `E1120 10:00:01.000000       1 leaderelection.go:330] error retrieving resource lock shop/scaler: Unauthorized`, LeaseLine{Lease: "shop/scaler", Cause: CauseError}},
		{"another holder", `E1120 10:00:01.000000       1 leaderelection.go:369] Failed to update lock: Operation cannot be fulfilled on leases.coordination.k8s.io "scaler": the object has been modified; please apply your changes to the latest version and try again`, LeaseLine{Cause: CauseHolder}},
		{"it gave up", `I1120 10:00:01.000000       1 leaderelection.go:285] failed to renew lease shop/scaler: timed out waiting for the condition`, LeaseLine{Lease: "shop/scaler", Lost: true, Cause: CauseUnknown}},
		{"fields", `I1120 10:00:01.000000       1 leaderelection.go:285] "Failed to renew lease" lock="shop/scaler" err="context deadline exceeded"`, LeaseLine{Lease: "shop/scaler", Lost: true, Cause: CauseUnknown}},
		{"JSON of zap", `{"level":"error","ts":1795341600250.0,"logger":"setup","msg":"problem running manager","error":"leader election lost"}`, LeaseLine{Lost: true, Cause: CauseUnknown}},
		{"zap for people", "2026-11-20T10:00:01.000Z\tERROR\tklog\tFailed to update lock: Put \"" + url + "\": context deadline exceeded", LeaseLine{Lease: "shop/scaler", Cause: CauseUnknown}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []LeaseLine
			clock := Clock{Latest: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), Zone: time.UTC}
			require.NoError(t, ClientReader{Clock: clock, Lease: func(l LeaseLine) { got = append(got, l) }}.Read("client.log", strings.NewReader("Starting\n"+test.line+"\n")))
			require.Len(t, got, 1)
			assert.Equal(t, 2026, got[0].At.Year(), got[0].At)
			got[0].At, got[0].Why = time.Time{}, ""
			assert.Equal(t, test.want, got[0])
		})
	}
}
