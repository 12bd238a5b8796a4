package isolate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// logged yields requests.
func logged(requests ...trace.Request) func(func(*trace.Request) error) error {
	return func(yield func(*trace.Request) error) error {
		for i := range requests {
			r := requests[i]
			if r.User == "" {
				r.User = web.User()
			}
			if err := yield(&r); err != nil {
				return err
			}
		}
		return nil
	}
}

func took(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }

func TestSeatsAreThePeakOfOneServerAndAQuarterMore(t *testing.T) {
	pods := func(after, duration time.Duration, server string, seats uint64) trace.Request {
		return trace.Request{Verb: "list", Resource: "pods", Arrival: now.Add(after), Execution: took(duration), Replica: server, Seats: &trace.Seats{Initial: seats}}
	}
	lease := trace.Request{Verb: "update", APIGroup: leaseGroup, Resource: "leases", Namespace: "shop", Arrival: now.Add(time.Second), Execution: took(time.Hour), Seats: &trace.Seats{Initial: 90}}
	rejected := trace.Request{Verb: "list", Resource: "pods", Arrival: now.Add(time.Second), Latency: took(time.Hour), Rejected: "queue-full", Seats: &trace.Seats{Initial: 90}}
	watch := trace.Request{Verb: "watch", Resource: "pods", Arrival: now.Add(time.Second), Latency: took(time.Hour)}
	in := input(t, web)
	in.Requests = logged(
		pods(0, 10*time.Second, "a", 4), pods(time.Second, 2*time.Second, "a", 3), pods(time.Second, time.Minute, "b", 6), lease, rejected, watch,
		pods(3*time.Second, time.Second, "a", 5), // when the second returns its seats: 4 + 5
		trace.Request{User: "alice", Verb: "list", Resource: "pods", Arrival: now.Add(3 * time.Second), Latency: took(time.Hour)},
	)
	r, err := Run(in)
	require.NoError(t, err)
	assert.Contains(t, r.Objects[0].Why[0], "It needs 12 seats of one API server: its requests in the trace held 9 at once", "ceil(1.25 * 9)")
	// ceil(600*s/(245+s)) is 12 for 5 shares, and 10 for 4.
	assert.EqualValues(t, 5, *r.Objects[0].PriorityLevel.Spec.Limited.NominalConcurrencyShares)
	assert.Contains(t, r.Notes, "1 of 7 requests of the service accounts are left out of the peak: the trace does not say how long they held seats, as for watches.")
	assert.Equal(t, 8, r.Diff.Checked)
	assert.Equal(t, 7, r.Diff.Moved)
}

func TestTraceSaysWhichLeasesOfAllAreMeant(t *testing.T) {
	in := input(t, web)
	in.Requests = logged(
		trace.Request{Verb: "patch", APIGroup: leaseGroup, Resource: "leases", Namespace: "locks", Name: "web", Arrival: now},
		trace.Request{Verb: "list", APIGroup: leaseGroup, Resource: "leases", Namespace: "elsewhere", Arrival: now},
	)
	r, err := Run(in)
	require.NoError(t, err)
	rule := r.Objects[1].FlowSchema.Spec.Rules[0].ResourceRules[0]
	assert.Equal(t, []string{"locks"}, rule.Namespaces)
	assert.Equal(t, []string{"get", "create", "update", "patch"}, rule.Verbs)
}

func TestRequestsWhoseUserIsUnknownAreCounted(t *testing.T) {
	unknown := func(yield func(*trace.Request) error) error {
		return yield(&trace.Request{Verb: "list", Resource: "pods", Arrival: now})
	}
	in := input(t, web)
	in.Requests = unknown
	_, err := Run(in)
	require.EqualError(t, err, "the trace has no request of shop/web; 1 of its 1 requests name no user: --users of kubectl apf record says whose they are")
	known := logged(trace.Request{Verb: "list", Resource: "pods", Arrival: now})
	in.Requests = func(yield func(*trace.Request) error) error {
		if err := unknown(yield); err != nil {
			return err
		}
		return known(yield)
	}
	r, err := Run(in)
	require.NoError(t, err)
	assert.Contains(t, r.Notes, "1 of the 2 requests of the trace name no user, and are left out; --users of kubectl apf record says whose they are.")
	assert.Equal(t, 1, r.Diff.Checked)
}
