package filter

import (
	"sync/atomic"
	"time"

	"k8s.io/apiserver/pkg/authentication/user"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/klog/v2"
)

// ExemptLimit bounds the requests of exempt priority levels, which need no seats:
// without a bound, their clients can exhaust the memory. Watches do not count.
type ExemptLimit struct {
	// InFlight is how many such requests may execute at once, 0 for any number. The
	// next one is rejected with status 429.
	InFlight int
	// Bypasses reports whether a request executes whatever the number. By default none does.
	Bypasses func(info *apirequest.RequestInfo, requester user.Info) bool
}

// exemptGate counts the requests of exempt levels in flight.
type exemptGate struct {
	ExemptLimit
	inFlight atomic.Int64
	// logged is when a rejection was logged last, in time of the engine.
	logged atomic.Int64
}

// exemptLogInterval is the least time between two log lines about rejections.
const exemptLogInterval = time.Minute

// enter reports whether a request may execute. If it may, the caller calls leave.
func (g *exemptGate) enter(info *apirequest.RequestInfo, requester user.Info) bool {
	if g.inFlight.Add(1) <= int64(g.InFlight) || g.InFlight == 0 {
		return true
	}
	if g.Bypasses != nil && g.Bypasses(info, requester) {
		return true
	}
	g.leave()
	return false
}

func (g *exemptGate) leave() { g.inFlight.Add(-1) }

// logRejection logs at most once a minute. now is the time of the engine.
func (g *exemptGate) logRejection(now time.Duration, requester user.Info) {
	last := g.logged.Load()
	if (last == 0 || now-time.Duration(last) >= exemptLogInterval) && g.logged.CompareAndSwap(last, int64(max(now, 1))) {
		klog.InfoS("Rejected exempt requests because too many are in flight, logged at most once a minute", "limit", g.InFlight, "user", requester.GetName())
	}
}
