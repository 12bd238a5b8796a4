package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// addLevelFamilies adds the families with the label priority_level only.
func addLevelFamilies(c *Collector) (all families[engine.LevelReport]) {
	send := func(desc *prometheus.Desc, send func(r *engine.LevelReport, m member)) {
		all = append(all, func(r *engine.LevelReport, out *output) { send(r, member{out, desc, []string{r.Config.Name}}) })
	}
	// add adds a family. m sends its metrics of r.
	add := func(name, help string, of func(r *engine.LevelReport, m member), more ...string) {
		send(c.add(prefix+name, help, nil, append([]string{levelLabel}, more...)...), of)
	}
	const nominalHelp = "Nominal number of execution seats configured for each priority level"
	add("nominal_limit_seats", beta+nominalHelp, func(r *engine.LevelReport, m member) { m.gauge(float64(r.Limits.Nominal)) })
	add("request_concurrency_limit", alpha+nominalHelp, func(r *engine.LevelReport, m member) { m.gauge(float64(r.Limits.Nominal)) })
	add("lower_limit_seats", alpha+"Configured lower bound on number of execution seats available to each priority level", func(r *engine.LevelReport, m member) { m.gauge(float64(r.Limits.Lower)) })
	add("upper_limit_seats", alpha+"Configured upper bound on number of execution seats available to each priority level", func(r *engine.LevelReport, m member) { m.gauge(float64(r.Limits.Upper)) })
	add("current_limit_seats", alpha+"current derived number of execution seats available to each priority level", func(r *engine.LevelReport, m member) { m.gauge(float64(r.Seats.Current)) })

	add("priority_level_request_utilization", timed+"Observations, at the end of every nanosecond, of number of requests (as a fraction of the relevant limit) waiting or in any stage of execution (but only initial stage for WATCHes)", func(r *engine.LevelReport, m member) {
		m.histogram(&r.Figures.WaitingShare, "waiting")
		m.histogram(&r.Figures.ExecutingShare, "executing")
	}, phaseLabel)
	send(c.add(prefix+"priority_level_seat_utilization", timed+"Observations, at the end of every nanosecond, of utilization of seats for any stage of execution (but only initial stage for WATCHes)",
		prometheus.Labels{phaseLabel: "executing"}, levelLabel), func(r *engine.LevelReport, m member) { m.histogram(&r.Figures.SeatShare) })
	add("demand_seats", timed+"Observations, at the end of every nanosecond, of (the number of seats each priority level could use) / (current limit of that level), as in kube-apiserver, whose help text says nominal number of seats", func(r *engine.LevelReport, m member) { m.histogram(&r.Figures.DemandShare) })

	add("demand_seats_high_watermark", alpha+"High watermark, over last adjustment period, of demand_seats", func(r *engine.LevelReport, m member) { m.gauge(float64(r.Period.HighWatermark)) })
	add("demand_seats_average", alpha+"Time-weighted average, over last adjustment period, of demand_seats", func(r *engine.LevelReport, m member) { m.gauge(r.Period.Average) })
	add("demand_seats_stdev", alpha+"Time-weighted standard deviation, over last adjustment period, of demand_seats", func(r *engine.LevelReport, m member) { m.gauge(r.Period.Deviation) })
	add("demand_seats_smoothed", alpha+"Smoothed seat demands", func(r *engine.LevelReport, m member) { m.gauge(r.Smoothed) })
	add("target_seats", alpha+"Seat allocation targets", func(r *engine.LevelReport, m member) { m.gauge(r.Seats.Target) })

	// The state of fair queuing.
	ofQueues := func(name, help string, of func(f *queueset.Figures, m member), more ...string) {
		add(name, help, func(r *engine.LevelReport, m member) {
			if r.Config.Discipline == queueset.Queue {
				of(&r.Figures, m)
			}
		}, more...)
	}
	bounds := func(b queueset.Range, m member) { m.gauge(b.Min, "min"); m.gauge(b.Max, "max") }
	ofQueues("epoch_advance_total", alpha+"Number of times the queueset's progress meter jumped backward", func(f *queueset.Figures, m member) { m.counterAbove0(f.EpochAdvances, "true") }, "success")
	ofQueues("current_r", alpha+"R(time of last change)", func(f *queueset.Figures, m member) { m.gauge(f.CurrentR) })
	ofQueues("dispatch_r", alpha+"R(time of last dispatch)", func(f *queueset.Figures, m member) { m.gauge(f.DispatchR) })
	ofQueues("latest_s", alpha+"S(most recently dispatched request)", func(f *queueset.Figures, m member) { m.gauge(f.LatestS) })
	ofQueues("next_s_bounds", alpha+"min and max, over queues, of S(oldest waiting request in queue)", func(f *queueset.Figures, m member) { bounds(f.NextS, m) }, "bound")
	ofQueues("next_discounted_s_bounds", alpha+"min and max, over queues, of S(oldest waiting request in queue) - estimated work in progress", func(f *queueset.Figures, m member) { bounds(f.NextDiscountedS, m) }, "bound")
	return all
}
