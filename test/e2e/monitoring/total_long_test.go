//go:build long

package monitoring

import (
	"strings"
	"testing"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// testFewSeats starts a server with few seats. Requests wait for them while the holders wait for
// etcd, so that the processors are free.
func testFewSeats(t *testing.T, s *alone) {
	const level = `{nominalConcurrencyShares: 300, limitResponse: {type: Queue, queuing: {queues: 1, handSize: 1, queueLengthLimit: 100}}}`
	s.govern(t, "borrower", level)
	s.wire.delay.Store(int64(300 * time.Millisecond))
	few := s.start(t)
	s.watch(t, few)
	stop := load(t, borrowerToken, few.URL+schemasPath+"/catch-all", 50)
	instance := strings.TrimPrefix(few.URL, "https://")
	s.prometheus.requireFires(t, "FlowControlTotalTooSmall", "instance", instance)
	s.prometheus.requireRests(t, "FlowControlTotalTooLarge")
	stop()
	few.Stop(t)

	// What docs/operations.md says: more seats.
	more := harness.StartServer(t, harness.ServerOptions{Args: s.flags("--max-requests-inflight=300", "--max-mutating-requests-inflight=100")})
	s.watch(t, more)
	stop = load(t, borrowerToken, more.URL+schemasPath+"/catch-all", 50)
	s.prometheus.requireSeries(t, `apiserver_flowcontrol_recommended_total_seats{instance="`+strings.TrimPrefix(more.URL, "https://")+`"}`)
	s.prometheus.requireRests(t, "FlowControlTotalTooSmall")
	stop()
	s.wire.delay.Store(0)
	s.watch(t)
	more.Stop(t)
	s.prometheus.requireRests(t)
}

func testShortOfMemory(t *testing.T, s *alone) {
	short := harness.StartServer(t, harness.ServerOptions{Env: []string{"GOMEMLIMIT=24MiB"}, Args: s.flags("--max-requests-inflight=10", "--max-mutating-requests-inflight=10")})
	s.watch(t, short)
	// The alert for replicas does not fire: they enforce the same with other totals.
	stop := load(t, borrowerToken, short.URL+schemasPath, 40)
	s.prometheus.requireFires(t, "FlowControlTotalTooLarge", "instance", strings.TrimPrefix(short.URL, "https://"))
	s.prometheus.requireRests(t, "FlowControlReplicasDiffer")
	stop()
	s.watch(t)
	short.Stop(t)
	s.prometheus.requireRests(t)
}
