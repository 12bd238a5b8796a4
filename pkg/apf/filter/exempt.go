package filter

import (
	"strings"
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
	// Bypasses reports whether a request executes whatever the number, and does not count. By
	// default none does.
	Bypasses func(info *apirequest.RequestInfo, requester user.Info) bool
}

// IsProbe reports whether a request asks for the health of the server. Clients without credentials
// may: such a request takes no seat of an exempt level, so that no number of them moves the limits
// of other levels.
func IsProbe(info *apirequest.RequestInfo) bool {
	root, _, _ := strings.Cut(strings.TrimPrefix(info.Path, "/"), "/")
	return !info.IsResourceRequest && (root == "livez" || root == "readyz" || root == "healthz")
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

// execute executes a request, and reports false if it may not execute. Such a request is never
// counted, so it takes no place from others.
func (g *exemptGate) execute(info *apirequest.RequestInfo, requester user.Info, f func()) bool {
	if g.InFlight == 0 || g.Bypasses != nil && g.Bypasses(info, requester) {
		f()
		return true
	}
	if !g.enter() {
		return false
	}
	defer g.inFlight.Add(-1)
	f()
	return true
}

// enter counts a request, unless as many as may are in flight.
func (g *exemptGate) enter() bool {
	for {
		n := g.inFlight.Load()
		if n >= int64(g.InFlight) {
			return false
		}
		if g.inFlight.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// logRejection logs at most once a minute. now is the time of the engine.
func (g *exemptGate) logRejection(now time.Duration, requester user.Info) {
	last := g.logged.Load()
	if (last == 0 || now-time.Duration(last) >= exemptLogInterval) && g.logged.CompareAndSwap(last, int64(max(now, 1))) {
		klog.InfoS("Rejected exempt requests because too many are in flight, logged at most once a minute", "limit", g.InFlight, "user", requester.GetName())
	}
}
