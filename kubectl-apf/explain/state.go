package explain

import (
	"cmp"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// replicaOf returns the state of a level on an API server. Limits that it did not tell are inferred.
func (e *Explainer) replicaOf(state *replica.Replica, level *engine.LevelConfig, hand []int) Replica {
	out := Replica{Name: state.Name, Hand: handOf(state, level.Name, hand)}
	out.Limits, _ = e.limitsAt(state, level.Name)
	out.SeatsInUse = cmp.Or(state.Metrics.Levels[level.Name].SeatsInUse, seatsInUse(state, level.Name))
	if row := levelRow(state, level.Name); row != nil {
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

func levelRow(state *replica.Replica, level string) *replica.Level {
	for i := range state.Levels {
		if state.Levels[i].Name == level {
			return &state.Levels[i]
		}
	}
	return nil
}

// seatsInUse returns the seats that the requests of a level hold, by the dumps; nil if they do not tell.
func seatsInUse(state *replica.Replica, level string) *int {
	var sum, queues *int
	for i := range state.Requests {
		if r := &state.Requests[i]; r.Level == level && r.Place < 0 {
			replica.Add(&sum, new(max(r.InitialSeats, r.FinalSeats)))
		}
	}
	for i := range state.Queues {
		if q := &state.Queues[i]; q.Level == level {
			replica.Add(&queues, &q.SeatsUsed)
		}
	}
	if sum != nil && queues != nil {
		return new(max(*sum, *queues))
	}
	if row := levelRow(state, level); row != nil && row.Executing == 0 {
		return cmp.Or(sum, queues, new(0))
	}
	return cmp.Or(sum, queues)
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
