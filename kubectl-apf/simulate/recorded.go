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
	const remedy = " So the baseline is not what the API servers had: give their seats by --total, and their objects and release by --baseline and --release"
	switch {
	case baseline.Name != Baseline:
		return ""
	case n.Rejected > 0 && baseline.Rejected == 0 && baseline.Waited == 0:
		return fmt.Sprintf("In the trace %d requests were rejected. In the baseline none is, and none waits.%s. Or the trace lacks what held the seats, see the notes.", n.Rejected, remedy)
	case n.Rejected > 0 || n.Waited > 0 || baseline.Rejected == 0:
		return ""
	case n.Told == 0:
		return fmt.Sprintf("In the trace no request was rejected. The baseline rejects %d of %d.%s.", baseline.Rejected, baseline.Requests, remedy)
	default:
		return fmt.Sprintf("In the trace no request waited, and none was rejected. The baseline rejects %d of %d.%s.", baseline.Rejected, baseline.Requests, remedy)
	}
}
