package explain

import (
	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// replicaOf returns the state of a level on an API server, and whether it told the
// state of the level. Limits and seats that it did not tell are inferred.
func (e *Explainer) replicaOf(state *replica.Replica, level *engine.LevelConfig, hand []int) (Replica, bool) {
	out := Replica{Name: state.Name, Hand: handOf(state, level.Name, hand)}
	row := levelRow(state, level.Name)
	if row != nil {
		out.Executing, out.Waiting = row.Executing, row.Waiting
	}
	limits, metered := limitsAt(state, level.Name)
	if metered {
		out.Limits, out.SeatsInUse = limits, ptr.Deref(state.Metrics.Levels[level.Name].SeatsInUse, seatsInUse(state, level.Name))
	} else {
		out.Limits, out.SeatsInUse = e.idleLimits(level.Name), seatsInUse(state, level.Name)
	}
	if row == nil {
		for key, m := range state.Metrics.Schemas {
			if key.Level == level.Name {
				out.Executing += ptr.Deref(m.Executing, 0)
				out.Waiting += ptr.Deref(m.Waiting, 0)
			}
		}
	}
	return out, metered || row != nil
}

func levelRow(state *replica.Replica, level string) *replica.Level {
	for i := range state.Levels {
		if state.Levels[i].Name == level {
			return &state.Levels[i]
		}
	}
	return nil
}

// seatsInUse returns the seats that the requests of a level hold, by the dumps.
func seatsInUse(state *replica.Replica, level string) int {
	sum := 0
	for i := range state.Requests {
		if r := &state.Requests[i]; r.Level == level && r.Place < 0 {
			sum += max(r.InitialSeats, r.FinalSeats)
		}
	}
	queues := 0
	for i := range state.Queues {
		if q := &state.Queues[i]; q.Level == level {
			queues += q.SeatsUsed
		}
	}
	return max(sum, queues)
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
