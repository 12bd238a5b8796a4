package benchmarks

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/heavyhitters"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/rejections"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// mergedAfter is how many requests the engine takes together to count what flows used.
const mergedAfter = 64

// BenchmarkHeavyFlows measures what a request pays for counting the seat-seconds of its
// flow: one request is counted by the engine alone, the other a second time in the same
// way. The two take turns within each iteration; the difference of the medians is
// reported.
func BenchmarkHeavyFlows(b *testing.B) {
	for _, flows := range []int{1, heavyhitters.Counters, 100000} {
		b.Run(fmt.Sprint(flows), func(b *testing.B) {
			e := levelOf(b, 128)
			users := userNames(flows)
			var batch heavyhitters.Batch
			windows := heavyhitters.NewWindows()
			alone := func(n int) { requestOfFlow(e, users[n*7919%flows]) }
			twice := func(n int) {
				user := users[n*7919%flows]
				requestOfFlow(e, user)
				batch.Add(time.Duration(n)*time.Microsecond, "schema0", user, int64(time.Millisecond))
				if n%mergedAfter == 0 {
					windows.Count(&batch)
				}
			}
			var once, again []float64
			round := 0
			for b.Loop() {
				once = append(once, requestsInTurn(round, alone))
				again = append(again, requestsInTurn(round, twice))
				round++
			}
			b.ReportMetric(medianOf(once), "ns-request")
			b.ReportMetric(medianOf(again)-medianOf(once), "ns-counted")
			b.ReportMetric(0, "ns/op") // hides the time of both together
		})
	}
}

// requestBy returns a classified request of a user.
func requestBy(e *engine.Engine, user string) *engine.Request {
	r := e.Begin()
	r.Attributes.User, r.Attributes.Verb, r.Attributes.Resource, r.Attributes.IsResourceRequest = user, "get", "pods", true
	r.Classify()
	return r
}

// userNames returns the names of users.
func userNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint("user", i)
	}
	return names
}

func requestOfFlow(e *engine.Engine, user string) {
	t := requestBy(e, user)
	if t.Admit(context.Background(), seats.Work{Initial: 1}, nil) {
		t.Finish()
	}
	t.End()
}

// requestsInTurn returns the nanoseconds of one request.
func requestsInTurn(round int, request func(n int)) float64 {
	const requests = 2000
	begin := time.Now()
	for n := range requests {
		request(round*requests + n)
	}
	return float64(time.Since(begin)) / requests
}

// BenchmarkRejections measures what a rejected request pays for being remembered.
func BenchmarkRejections(b *testing.B) {
	for _, flows := range []int{1, rejections.Capacity, 100000} {
		b.Run(fmt.Sprint(flows), func(b *testing.B) {
			users := userNames(flows)
			attributes := &flow.Attributes{Verb: "get", Path: "/api/v1/namespaces/default/configmaps/settings"}
			rejection := rejections.Rejection{Schema: "schema0", Reason: stats.QueueFull, Queue: 3, Seats: 1, Attributes: attributes}
			var log rejections.Log
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				user := users[n*7919%flows]
				rejection.Distinguisher, attributes.User = user, user
				log.Add(rejection)
			}
		})
	}
}
