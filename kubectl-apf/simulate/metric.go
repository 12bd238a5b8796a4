package simulate

import (
	"fmt"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// metrics returns the metrics of all scopes.
func (f *Figures) metrics() map[string]float64 {
	all := map[string]float64{
		"requests": float64(f.Requests), "dispatched": float64(f.Dispatched), "waited": float64(f.Waited),
		"rejected": float64(f.Rejected), "retries": float64(f.Retries), "seatSeconds": f.SeatSeconds,
		"wait.mean": f.Wait.Mean, "wait.p50": f.Wait.P50, "wait.p90": f.Wait.P90, "wait.p99": f.Wait.P99, "wait.max": f.Wait.Max,
	}
	for _, reason := range []queueset.Reason{queueset.QueueFull, queueset.ConcurrencyLimit, queueset.TimeOut} {
		all["rejected."+reason.String()] = float64(f.RejectedBy[reason.String()])
	}
	return all
}

// metrics returns the metrics that only levels have.
func (l *Level) metrics() map[string]float64 {
	return map[string]float64{
		"seats.mean": l.Seats.Mean, "seats.max": l.Seats.Max,
		"limit.mean": l.Limit.Mean, "limit.min": l.Limit.Min, "limit.max": l.Limit.Max,
		"borrowed.mean": l.Borrowed.Mean, "borrowed.max": l.Borrowed.Max,
		"lent.mean": l.Lent.Mean, "lent.max": l.Lent.Max, "mostWaiting": float64(l.MostWaiting),
	}
}

// Check returns whether the assertion holds for a result. It does not hold for what does not exist.
func (a *Assertion) Check(r *Result) Verdict {
	v := Verdict{Assertion: a.text, Configuration: r.Name}
	value, requests, why := a.measure(r)
	if why != "" {
		v.Why = why
		return v
	}
	if a.percent {
		value = 100 * value / max(float64(requests), 1)
	}
	v.Value, v.Holds = &value, a.holds(value)
	return v
}

// Level returns the priority level that the assertion is about in a result: its flow schema's too; "" for all
// of them.
func (a *Assertion) Level(r *Result) string {
	switch a.scope {
	case "level":
		return a.name
	case "schema":
		for i := range r.FlowSchemas {
			if r.FlowSchemas[i].Name == a.name {
				return r.FlowSchemas[i].Level
			}
		}
	}
	return ""
}

// measure returns the value, the number of requests that it is about, and why there is
// none.
func (a *Assertion) measure(r *Result) (value float64, requests uint64, why string) {
	switch a.scope {
	case "level":
		for i := range r.Levels {
			if l := &r.Levels[i]; l.Name == a.name {
				if value, ofLevel := l.metrics()[a.metric]; ofLevel {
					return value, l.Requests, ""
				}
				return l.Figures.metrics()[a.metric], l.Requests, ""
			}
		}
		return 0, 0, fmt.Sprintf("the priority level %q does not exist", a.name)
	case "schema":
		for i := range r.FlowSchemas {
			if s := &r.FlowSchemas[i]; s.Name == a.name {
				return s.metrics()[a.metric], s.Requests, ""
			}
		}
		return 0, 0, fmt.Sprintf("the flow schema %q has no requests", a.name)
	default:
		return r.metrics()[a.metric], r.Requests, ""
	}
}

// Assert checks assertions on the configurations that are compared with the baseline, or
// on the baseline if it is alone. It reports whether all hold.
func (r *Report) Assert(assertions []*Assertion) bool {
	results, all := r.Results, true
	if len(results) > 1 {
		results = results[1:]
	}
	for _, a := range assertions {
		for i := range results {
			v := a.Check(&results[i])
			r.Assertions = append(r.Assertions, v)
			all = all && v.Holds
		}
	}
	return all
}
