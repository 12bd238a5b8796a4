package why

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// renewal is a request for the lease shop/scaler.
func renewal(at, took time.Duration, status int, change func(*logs.Request)) *logs.Request {
	r := &logs.Request{Request: trace.Request{
		Arrival: start().Add(at), Status: status, Latency: &metav1.Duration{Duration: took}, User: "system:serviceaccount:shop:scaler", Groups: []string{"system:authenticated"},
		Verb: "update", APIGroup: "coordination.k8s.io", APIVersion: "v1", Resource: "leases", Namespace: "shop", Name: "scaler",
	}}
	r.Completed = r.Arrival.Add(took)
	if change != nil {
		change(r)
	}
	return r
}

// renewed are renewals each 2 s, for 20 s each before and after a pause of 12 s, and what was tried in it.
func renewed(tries ...*logs.Request) []*logs.Request {
	all := tries
	for at := range 10 {
		for _, begin := range []time.Duration{0, 30 * time.Second} {
			all = append(all, renewal(begin+time.Duration(2*at)*time.Second, 5*time.Millisecond, 200, nil))
		}
	}
	slices.SortStableFunc(all, func(a, b *logs.Request) int { return a.Arrival.Compare(b.Arrival) })
	return all
}

// Everything for the lease stopped at 18 s; the next renewal is at 30 s.
func TestWhatHeldARenewalUp(t *testing.T) {
	wait := func(d time.Duration) func(*logs.Request) {
		return func(r *logs.Request) { r.Wait = &metav1.Duration{Duration: d} }
	}
	rejected := func(r *logs.Request) { r.Rejected = "queue-full" }
	etcd := func(r *logs.Request) { r.Etcd, r.Wait = new(8900*time.Millisecond), &metav1.Duration{} }
	slow := func(r *logs.Request) { r.Etcd, r.Wait = new(10*time.Millisecond), &metav1.Duration{} }
	at := func(seconds float64) time.Time { return start().Add(time.Duration(seconds * float64(time.Second))) }
	for _, test := range []struct {
		name   string
		tries  []*logs.Request
		lines  []logs.LeaseLine
		waits  []logs.Wait
		cause  logs.Cause
		sure   Sureness
		action string
	}{
		{"it waited in a queue", []*logs.Request{renewal(20*time.Second, 9*time.Second, 504, wait(9*time.Second))}, nil, nil, logs.CauseFlowControl, Likely, "kubectl apf isolate --service-account=shop/scaler"},
		{"it was rejected", []*logs.Request{renewal(20*time.Second, time.Millisecond, 429, rejected), renewal(22*time.Second, time.Millisecond, 429, rejected), renewal(24*time.Second, time.Millisecond, 429, rejected), renewal(26*time.Second, time.Millisecond, 429, rejected), renewal(28*time.Second, time.Millisecond, 429, rejected)},
			nil, nil, logs.CauseFlowControl, Certain, "isolate"},
		{"etcd was slow", []*logs.Request{renewal(20*time.Second, 9*time.Second, 504, etcd)}, nil, nil, logs.CauseEtcd, Certain, "faster disk"},
		{"the API server was slow", []*logs.Request{renewal(20*time.Second, 9*time.Second, 504, slow)}, nil, nil, logs.CauseServer, Certain, "holds up the API server"},
		{"a slow request tells nothing", []*logs.Request{renewal(20*time.Second, 9*time.Second, 504, nil)}, nil, nil, logs.CauseServer, Likely, "holds up the API server"},
		{"nothing arrived", nil, nil, nil, logs.CauseNotArrived, Unclear, "--client-log"},
		{"its own limit failed it", nil, []logs.LeaseLine{{Lease: "shop/scaler", At: at(28), Cause: logs.CauseOwnLimit, Why: "client rate limiter"}}, nil, logs.CauseOwnLimit, Certain, "its own client"},
		{"it waited for its own limit", nil, nil, []logs.Wait{{At: at(29), Delay: 9 * time.Second}}, logs.CauseOwnLimit, Certain, "its own client"},
		{"nobody answered", nil, []logs.LeaseLine{{At: at(28), Cause: logs.CauseServer, Why: "connection refused"}}, nil, logs.CauseServer, Certain, "holds up the API server"},
		{"a line of another time", nil, []logs.LeaseLine{{At: at(1000), Cause: logs.CauseServer}}, nil, logs.CauseNotArrived, Unclear, "--client-log"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := NewLeases("shop/scaler", LeaseLimits{}, Place(site(), start()))
			for _, line := range test.lines {
				l.Say(line)
			}
			for _, w := range test.waits {
				l.Wait(w)
			}
			for _, r := range renewed(test.tries...) {
				l.Observe(r)
			}
			r := l.Result()
			require.Len(t, r.Leases, 1)
			require.Len(t, r.Leases[0].Gaps, 1)
			g := r.Leases[0].Gaps[0]
			assert.InDelta(t, 12, g.Seconds, 0.01)
			assert.True(t, g.Lost, "12 s are more than the renew deadline")
			assert.Equal(t, test.cause, g.Cause, g.By)
			assert.Equal(t, test.sure, g.Sure, g.By)
			require.Len(t, r.Remedies, 1)
			assert.Contains(t, r.Remedies[0].Action, test.action)
			assert.True(t, r.Affected())
			var out bytes.Buffer
			require.NoError(t, r.WriteTable(&out, table.Options{}))
			assert.Contains(t, out.String(), "Lease shop/scaler (lease duration 15s, renew deadline 10s, retry period 2s): 20 renewals, 1 of them late, and 1 times the leader lost it.")
		})
	}
}

func TestLeasesWhoseGapsCameNear(t *testing.T) {
	others := func(namespace, name string, period time.Duration, skip int) (all []*logs.Request) {
		for n := range 30 {
			if n == skip || n == skip+1 {
				continue
			}
			all = append(all, renewal(time.Duration(n)*period, time.Millisecond, 200, func(r *logs.Request) { r.Namespace, r.Name = namespace, name }))
		}
		return all
	}
	l := NewLeases("", LeaseLimits{}, Place(site(), start()))
	for _, all := range [][]*logs.Request{
		others("a", "calm", 2*time.Second, -9), others("a", "near", 2*time.Second, 10), others("a", "slow-by-design", 15*time.Second, -9),
		others("kube-node-lease", "node", 10*time.Second, 5), renewed(),
	} {
		for _, r := range all {
			l.Observe(r)
		}
	}
	r := l.Result()
	var names []string
	for _, lease := range r.Leases {
		names = append(names, lease.Name)
	}
	assert.Equal(t, []string{"shop/scaler", "a/near"}, names, "the longest gap first")
	assert.False(t, r.Leases[1].Gaps[0].Lost)
	strict := NewLeases("a/near", LeaseLimits{6 * time.Second, 5 * time.Second, time.Second}, Place(site(), start()))
	for _, one := range others("a", "near", 2*time.Second, 10) {
		strict.Observe(one)
	}
	assert.True(t, strict.Result().Leases[0].Gaps[0].Lost, "by the limits that flags name")
}

func TestALeaseThatIsNeverRenewedAgain(t *testing.T) {
	l := NewLeases("shop/scaler", LeaseLimits{}, Place(site(), start()))
	for _, r := range renewed()[:10] {
		l.Observe(r)
	}
	l.Observe(renewal(time.Minute, time.Millisecond, 200, func(r *logs.Request) { r.Resource = "pods" }))
	g := l.Result().Leases[0].Gaps
	require.Len(t, g, 1)
	assert.True(t, g[0].Open && g[0].Lost)
}

// A log of the incident alone has no renewal at all.
func TestALogThatBeginsWithinAnIncident(t *testing.T) {
	rejected := func(r *logs.Request) { r.Rejected = "queue-full" }
	getting := func(r *logs.Request) { r.Verb, r.Rejected = "get", "queue-full" }
	creating := func(r *logs.Request) { r.Verb = "create" }
	for _, test := range []struct {
		name     string
		status   int
		change   func(*logs.Request)
		last     func(*logs.Request)
		cause    logs.Cause
		says     string
		renewals int
	}{
		{"updates are rejected until the end of the log", 429, rejected, rejected, logs.CauseFlowControl, "isolate", 0},
		{"gets are rejected, so that no update follows", 429, getting, getting, logs.CauseFlowControl, "isolate", 0},
		{"it renews in the end", 429, rejected, nil, logs.CauseFlowControl, "isolate", 1},
		{"the lease is created again in the end", 429, rejected, creating, logs.CauseFlowControl, "isolate", 1},
		{"the permission was withdrawn", 403, nil, nil, logs.CauseError, "may lack a permission", 1},
		{"a handler of the API server answers 429", 429, nil, nil, logs.CauseError, "what the API server answers", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := NewLeases("shop/scaler", LeaseLimits{}, Place(site(), start()))
			for at := range 6 {
				l.Observe(renewal(time.Duration(2*at)*time.Second, time.Millisecond, test.status, test.change))
			}
			status := 200
			if test.renewals == 0 {
				status = test.status
			}
			l.Observe(renewal(12*time.Second, time.Millisecond, status, test.last))
			r := l.Result()
			require.Len(t, r.Leases, 1)
			assert.Equal(t, test.renewals, r.Leases[0].Renewals)
			require.Len(t, r.Leases[0].Gaps, 1)
			g := r.Leases[0].Gaps[0]
			assert.Equal(t, []any{test.cause, Certain, true, test.renewals == 0}, []any{g.Cause, g.Sure, g.Lost, g.Open}, g.By)
			assert.InDelta(t, 12, g.Seconds, 0.01)
			assert.Contains(t, r.Remedies[0].Action, test.says)
			assert.Equal(t, fmt.Sprintf("Lease shop/scaler (lease duration 15s, renew deadline 10s, retry period 2s): %d renewals, 1 of them late, and 1 times the leader lost it.", test.renewals), r.summary(1))
		})
	}
}

// The log of a client is of its own lease, even where a line does not name it.
func TestLinesWithoutALeaseAreOfTheLeaseThatOthersName(t *testing.T) {
	l := NewLeases("", LeaseLimits{}, Place(site(), start()))
	l.Say(logs.LeaseLine{Lease: "shop/other", At: start().Add(28 * time.Second), Cause: logs.CauseOwnLimit})
	l.Say(logs.LeaseLine{At: start().Add(28 * time.Second), Cause: logs.CauseOwnLimit})
	for _, r := range renewed() {
		l.Observe(r)
	}
	assert.Equal(t, logs.CauseNotArrived, l.Result().Leases[0].Gaps[0].Cause)
}

func TestTheLogOfTheClientAloneTellsItsPart(t *testing.T) {
	for cause, sure := range map[logs.Cause]Sureness{logs.CauseOwnLimit: Certain, logs.CauseFlowControl: Certain, logs.CauseEtcd: Certain, logs.CauseServer: Likely, logs.CauseUnknown: Unclear} {
		l := NewLeases("", LeaseLimits{}, Place(site(), start()))
		l.Say(logs.LeaseLine{Lease: "shop/scaler", At: start(), Cause: cause, Why: "why"})
		l.Say(logs.LeaseLine{Lease: "shop/scaler", At: start().Add(5 * time.Second), Lost: true, Cause: logs.CauseUnknown})
		r := l.Result()
		require.Len(t, r.Leases, 1)
		require.Len(t, r.Leases[0].Gaps, 1)
		g := r.Leases[0].Gaps[0]
		assert.Equal(t, []any{cause, sure, true}, []any{g.Cause, g.Sure, g.Lost})
		assert.Contains(t, r.Remedies[0].Because, `the client says "why"`)
	}
}
