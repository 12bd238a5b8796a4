package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// decide sets the outcome on each API server and their sum.
func (e *Explainer) decide(a *Answer, level *engine.LevelConfig) {
	for i := range e.input.Replicas {
		if e.input.Replicas[i].Away {
			a.Replicas = append(a.Replicas, Replica{
				Name: e.input.Replicas[i].Name, Limits: e.idleLimits(level.Name), Hand: []Queue{},
				Outcome: Outcome{Decision: Unknown, Why: sayAway},
			})
			continue
		}
		r := e.replicaOf(&e.input.Replicas[i], level, a)
		r.Outcome = e.outcome(a, &r)
		a.Replicas = append(a.Replicas, r)
	}
	switch {
	case a.Bypass != "":
		a.Outcome = Outcome{Decision: Executes, Why: a.Bypass}
	case len(a.Replicas) == 0:
		idle := Replica{Limits: a.PriorityLevel.Limits, SeatsInUse: new(0), Waiting: new(0), Hand: []Queue{}}
		idle.Limits.idle = false // the sentence says so
		a.Outcome = e.outcome(a, &idle)
		if level.Discipline == queueset.Exempt {
			return
		}
		a.Outcome.Why = sayIdle + a.Outcome.Why
		if a.Outcome.Decision == Executes {
			a.Outcome.Decision = Unknown
		}
	default:
		a.Outcome = sumUp(a.Replicas)
	}
}

// outcome decides what happens on an API server, as far as its state is known. A current limit that it does
// not tell is between the lower and the upper one, and the request may take up to AtMost seats.
func (e *Explainer) outcome(a *Answer, r *Replica) Outcome {
	if !r.Limits.idle && a.Seats.AtMost <= a.Seats.Width {
		return e.outcomeAt(a, r, a.Seats.Width)
	}
	best, worst := *r, *r
	best.Hand, worst.Hand = slices.Clone(r.Hand), slices.Clone(r.Hand)
	if r.Limits.idle {
		best.Limits.Current, worst.Limits.Current = r.Limits.most(), r.Limits.Lower
	}
	out, other := e.outcomeAt(a, &best, a.Seats.Width), e.outcomeAt(a, &worst, a.Seats.AtMost)
	if out.Decision == other.Decision && out.Reason == other.Reason {
		r.Hand = best.Hand
		return out
	}
	return Outcome{Decision: Unknown, Why: fmt.Sprintf(sayUnsure, r.inUse(), a.Seats.countText(), out.Decision, other.Decision)}
}

// inUse says how many of the seats are in use.
func (r *Replica) inUse() string {
	if r.Limits.idle {
		return fmt.Sprintf(sayRange, table.Count(*r.SeatsInUse, "seat"), r.Limits.Lower, r.Limits.most())
	}
	return fmt.Sprintf(sayInUse, *r.SeatsInUse, r.Limits.Current)
}

// outcomeAt is outcome with the current limit of r, for a request of so many seats.
func (e *Explainer) outcomeAt(a *Answer, r *Replica, width int) Outcome {
	if a.Bypass != "" {
		return Outcome{Decision: Executes, Why: a.Bypass}
	}
	if a.PriorityLevel.Type == queueset.Exempt.String() {
		return Outcome{Decision: Executes, Why: sayExempt}
	}
	waits := r.Waiting != nil && *r.Waiting > 0
	if r.SeatsInUse == nil && waits && a.PriorityLevel.Type == queueset.Queue.String() {
		return e.queued(a, r, sayNoSeats)
	}
	if r.SeatsInUse == nil {
		return Outcome{Decision: Unknown, Why: sayNotTold}
	}
	current, free := r.Limits.Current, r.inUse()
	if a.PriorityLevel.Type == queueset.Reject.String() {
		// kube-apiserver lets one request execute on a level without queues, whatever
		// the limit.
		if current == 0 && !e.byFlow {
			free += sayOneAtATime
		}
		if fits(r, width) && (current > 0 || !e.byFlow) {
			return Outcome{Decision: Executes, Why: free}
		}
		return Outcome{Decision: Rejected, Reason: queueset.ConcurrencyLimit.String(), Why: fmt.Sprintf(sayNoQueues, free, table.Count(width, "seat"))}
	}
	switch {
	case waits || !fits(r, width) || current == 0:
		return e.queued(a, r, free)
	case r.Waiting == nil:
		return Outcome{Decision: Unknown, Why: free + sayWaitingNotTold}
	default:
		return Outcome{Decision: Executes, Why: free + sayNobodyWaits}
	}
}

// fits reports whether width seats are free. A request that is wider than the limit
// executes alone.
func fits(r *Replica, width int) bool {
	if width > r.Limits.Current {
		return *r.SeatsInUse == 0
	}
	return *r.SeatsInUse+width <= r.Limits.Current
}

// queuedByFlow decides for a request that needs a queue in the engine pkg/apf, where its flow has one.
func queuedByFlow(a *Answer, r *Replica, free string) Outcome {
	level := a.PriorityLevel
	if len(r.Hand) == 0 {
		return Outcome{Decision: Waits, Why: fmt.Sprintf(sayFlowUnknown, free, level.mostOfFlow(), waitText)}
	}
	q := &r.Hand[0]
	q.Chosen = true
	ahead := table.Count(q.Waiting, "request")
	if q.Waiting >= level.mostOfFlow() {
		return Outcome{Decision: Rejected, Reason: queueset.QueueFull.String(), Why: fmt.Sprintf(sayFlowFull, free, ahead)}
	}
	if r.Waiting == nil || *r.Waiting < level.most() {
		return Outcome{Decision: Waits, Why: fmt.Sprintf(sayFlowWaits, free, ahead, othersText(r), waitText)}
	}
	full := fmt.Sprintf(sayLevelFull, free, table.Count(*r.Waiting, "request"))
	if q.Waiting+q.Executing > 0 {
		return Outcome{Decision: Unknown, Why: full + sayMaybeThis}
	}
	return Outcome{Decision: Waits, Why: full + sayAnother + waitText}
}

// othersText says how many requests wait on the level.
func othersText(r *Replica) string {
	if r.Waiting == nil {
		return ""
	}
	return "; " + table.Count(*r.Waiting, "request") + " wait on the priority level"
}

// queued decides for a request that needs a queue, and marks the queue.
func (e *Explainer) queued(a *Answer, r *Replica, free string) Outcome {
	if e.byFlow {
		return queuedByFlow(a, r, free)
	}
	if len(r.Hand) == 0 {
		return Outcome{Decision: Waits, Why: free + sayQueuesUnknown + waitText}
	}
	chosen := choose(r.Hand)
	// kube-apiserver lets a queue grow beyond its limit while a few seats are free, which
	// are kept for a wide request.
	full := r.SeatsInUse != nil && *r.SeatsInUse >= r.Limits.Current
	var names []string
	for _, i := range chosen {
		q := &r.Hand[i]
		q.Chosen = true
		full = full && q.Waiting >= a.PriorityLevel.QueueLengthLimit
		names = append(names, fmt.Sprint(q.Index))
	}
	queue := "queue " + names[0]
	if len(names) > 1 {
		queue = "one of the queues " + strings.Join(names, ", ")
	}
	ahead := table.Count(r.Hand[chosen[0]].Waiting, "request")
	if full {
		return Outcome{Decision: Rejected, Reason: queueset.QueueFull.String(), Why: fmt.Sprintf(sayQueueFull, free, queue, ahead, a.PriorityLevel.QueueLengthLimit)}
	}
	return Outcome{Decision: Waits, Why: fmt.Sprintf(sayQueueWaits, free, queue, ahead, othersText(r), waitText)}
}

// choose returns the places in the hand of the queues with the least work.
func choose(hand []Queue) []int {
	var chosen []int
	for i, q := range hand {
		switch {
		case len(chosen) == 0 || q.WorkSeconds < hand[chosen[0]].WorkSeconds:
			chosen = []int{i}
		case q.WorkSeconds == hand[chosen[0]].WorkSeconds:
			chosen = append(chosen, i)
		}
	}
	return chosen
}

// sumUp returns the outcome of all API servers.
func sumUp(replicas []Replica) Outcome {
	decisions := map[Decision]int{}
	for _, r := range replicas {
		decisions[r.Outcome.Decision]++
	}
	if len(decisions) == 1 {
		out := replicas[0].Outcome
		if len(replicas) > 1 {
			out.Why = fmt.Sprintf(sayEach, len(replicas), replicas[0].Name, out.Why)
		}
		return out
	}
	var parts []string
	for _, d := range []Decision{Executes, Waits, Rejected, Unknown} {
		if n := decisions[d]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s on %d", d, n))
		}
	}
	return Outcome{Decision: Differs, Why: fmt.Sprintf(sayDepends, strings.Join(parts, ", "), len(replicas))}
}
