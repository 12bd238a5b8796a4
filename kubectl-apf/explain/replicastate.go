package explain

import (
	"cmp"

	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// replicaOf returns the state of a level on an API server. Limits that it did not tell are inferred.
func (e *Explainer) replicaOf(state *replica.Replica, level *engine.LevelConfig, a *Answer) Replica {
	out := Replica{Name: state.Name, Hand: handOf(state, level.Name, a.Flow.Hand)}
	if e.byFlow {
		out.Hand = queueOfFlow(state, a)
	}
	out.Limits = e.limitsAt(state, level.Name)
	out.Tenant = tenantAt(state, a, out.Limits.Current)
	out.SeatsInUse = cmp.Or(state.Metrics.Levels[level.Name].SeatsInUse, state.SeatsInUse(level.Name))
	if row := state.Row(level.Name); row != nil {
		out.Executing, out.Waiting = &row.Executing, &row.Waiting
		return out
	}
	for key, m := range state.Metrics.Schemas {
		if key.Level == level.Name {
			replica.Add(&out.Executing, m.Executing)
			replica.Add(&out.Waiting, m.Waiting)
		}
	}
	return out
}

// queueOfFlow returns the queue of the flow in the engine pkg/apf; none if the dumps do not tell its requests.
func queueOfFlow(state *replica.Replica, a *Answer) []Queue {
	row := state.Row(a.PriorityLevel.Name)
	told, out := !state.Lacks(replica.EndpointRequests) && (row == nil || row.Waiting == 0), []Queue{}
	for _, number := range a.Flow.Hand {
		out = append(out, Queue{Index: number})
	}
	for i := range state.Requests {
		r := &state.Requests[i]
		told = told || r.Level == a.PriorityLevel.Name
		if len(out) == 0 || r.Level != a.PriorityLevel.Name || r.FlowSchema != a.FlowSchema.Name || r.Distinguisher != a.Flow.Distinguisher {
			continue
		}
		initial := ptr.Deref(r.InitialSeats, 1)
		if q := &out[0]; r.Started.IsZero() {
			q.Waiting++
			q.WorkSeconds += float64(initial)*queueset.ServiceTimeGuess.Seconds() + float64(r.FinalSeats)*r.Latency.Seconds()
		} else {
			q.Executing++
			q.SeatsInUse += initial
		}
	}
	if !told {
		return []Queue{}
	}
	return out
}

// handOf returns the queues of the hand; none if the state of the queues is not known.
func handOf(state *replica.Replica, level string, hand []int) []Queue {
	queues := map[int]*replica.Queue{}
	for i := range state.Queues {
		if q := &state.Queues[i]; q.Level == level {
			queues[q.Index] = q
		}
	}
	out := []Queue{}
	if len(queues) == 0 {
		return out
	}
	for _, index := range hand {
		q := Queue{Index: index}
		if s := queues[index]; s != nil {
			q.Waiting, q.Executing, q.SeatsInUse, q.WorkSeconds = s.Waiting, s.Executing, s.SeatsUsed, s.Work
		}
		out = append(out, q)
	}
	return out
}
