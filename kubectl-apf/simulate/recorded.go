package simulate

import (
	"fmt"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// shortWait is up to where a wait counts as none: the wait of a line of -v=3 includes the filters
// around flow control.
const shortWait = 10 * time.Millisecond

// Recorded counts requests by what became of them when they were recorded.
type Recorded struct {
	// Told is the number of requests whose wait is known, Waited how many of them waited for more than
	// 10 ms, Rejected how many of all were rejected.
	Told     int64 `json:"told"`
	Waited   int64 `json:"waited"`
	Rejected int64 `json:"rejected"`
}

func (n *Recorded) add(r *trace.Request) {
	switch {
	case r.Rejected != "":
		n.Rejected++
	case r.Wait != nil:
		n.Told++
		if r.Wait.Duration > shortWait {
			n.Waited++
		}
	}
}

func (n *Recorded) String() string {
	if n.Told == 0 {
		return fmt.Sprintf("then %d were rejected, and waits are unknown", n.Rejected)
	}
	return fmt.Sprintf("then %d were rejected, and %d of %d waited", n.Rejected, n.Waited, n.Told)
}

// doubt says what contradicts the trace in a simulation of the configuration that it was recorded
// with; "" if nothing does.
func (n *Recorded) doubt(baseline *Result) string {
	if baseline.Name != Baseline || baseline.Rejected == 0 || n.Rejected > 0 || n.Waited > 0 {
		return ""
	}
	then := "no request was rejected"
	if n.Told > 0 {
		then = "no request waited, and none was rejected"
	}
	return fmt.Sprintf("In the trace %s. The baseline rejects %d of %d requests: it is not what the API servers had. "+
		"Give their seats by --total, and their objects and release by --baseline and --release.", then, baseline.Rejected, baseline.Requests)
}
