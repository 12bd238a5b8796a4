package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// levelFamilies are the families with the label priority_level only.
type levelFamilies struct {
	nominal, concurrencyLimit, lower, upper, current *prometheus.Desc

	requestUtilization, seatUtilization, demand *prometheus.Desc

	demandHighWatermark, demandAverage, demandDeviation, demandSmoothed, target *prometheus.Desc

	epochAdvances                      *prometheus.Desc
	currentR, dispatchR, latestS       *prometheus.Desc
	nextSBounds, nextDiscountedSBounds *prometheus.Desc
}

func newLevelFamilies(f *families) levelFamilies {
	add := func(name, help string, more ...string) *prometheus.Desc {
		return f.add(prefix+name, help, nil, append([]string{levelLabel}, more...)...)
	}
	const nominalHelp = "Nominal number of execution seats configured for each priority level"
	return levelFamilies{
		nominal:          add("nominal_limit_seats", beta+nominalHelp),
		concurrencyLimit: add("request_concurrency_limit", alpha+nominalHelp),
		lower:            add("lower_limit_seats", alpha+"Configured lower bound on number of execution seats available to each priority level"),
		upper:            add("upper_limit_seats", alpha+"Configured upper bound on number of execution seats available to each priority level"),
		current:          add("current_limit_seats", alpha+"current derived number of execution seats available to each priority level"),

		requestUtilization: add("priority_level_request_utilization", timed+"Observations, at the end of every nanosecond, of number of requests (as a fraction of the relevant limit) waiting or in any stage of execution (but only initial stage for WATCHes)", phaseLabel),
		seatUtilization: f.add(prefix+"priority_level_seat_utilization", timed+"Observations, at the end of every nanosecond, of utilization of seats for any stage of execution (but only initial stage for WATCHes)",
			prometheus.Labels{phaseLabel: "executing"}, levelLabel),
		demand: add("demand_seats", timed+"Observations, at the end of every nanosecond, of (the number of seats each priority level could use) / (current limit of that level), as in kube-apiserver, whose help text says nominal number of seats"),

		demandHighWatermark: add("demand_seats_high_watermark", alpha+"High watermark, over last adjustment period, of demand_seats"),
		demandAverage:       add("demand_seats_average", alpha+"Time-weighted average, over last adjustment period, of demand_seats"),
		demandDeviation:     add("demand_seats_stdev", alpha+"Time-weighted standard deviation, over last adjustment period, of demand_seats"),
		demandSmoothed:      add("demand_seats_smoothed", alpha+"Smoothed seat demands"),
		target:              add("target_seats", alpha+"Seat allocation targets"),

		epochAdvances:         add("epoch_advance_total", alpha+"Number of times the queueset's progress meter jumped backward", "success"),
		currentR:              add("current_r", alpha+"R(time of last change)"),
		dispatchR:             add("dispatch_r", alpha+"R(time of last dispatch)"),
		latestS:               add("latest_s", alpha+"S(most recently dispatched request)"),
		nextSBounds:           add("next_s_bounds", alpha+"min and max, over queues, of S(oldest waiting request in queue)", "bound"),
		nextDiscountedSBounds: add("next_discounted_s_bounds", alpha+"min and max, over queues, of S(oldest waiting request in queue) - estimated work in progress", "bound"),
	}
}

func (f *levelFamilies) collect(r *engine.LevelReport, out *output) {
	name := r.Config.Name
	out.gauge(f.nominal, float64(r.Limits.Nominal), name)
	out.gauge(f.concurrencyLimit, float64(r.Limits.Nominal), name)
	out.gauge(f.lower, float64(r.Limits.Lower), name)
	out.gauge(f.upper, float64(r.Limits.Upper), name)
	out.gauge(f.current, float64(r.Seats.Current), name)

	figures := &r.Figures
	out.histogram(f.requestUtilization, &figures.WaitingShare, name, "waiting")
	out.histogram(f.requestUtilization, &figures.ExecutingShare, name, "executing")
	out.histogram(f.seatUtilization, &figures.SeatShare, name)
	out.histogram(f.demand, &figures.DemandShare, name)

	out.gauge(f.demandHighWatermark, float64(r.Period.HighWatermark), name)
	out.gauge(f.demandAverage, r.Period.Average, name)
	out.gauge(f.demandDeviation, r.Period.Deviation, name)
	out.gauge(f.demandSmoothed, r.Smoothed, name)
	out.gauge(f.target, r.Seats.Target, name)

	if r.Config.Discipline == queueset.Queue {
		f.collectFairness(name, figures, out)
	}
}

// collectFairness sends the state of fair queuing.
func (f *levelFamilies) collectFairness(name string, figures *queueset.Figures, out *output) {
	if figures.EpochAdvances > 0 { // as in k8s.io/apiserver, see seriesFamilies.collect
		out.counter(f.epochAdvances, figures.EpochAdvances, name, "true")
	}
	out.gauge(f.currentR, figures.CurrentR, name)
	out.gauge(f.dispatchR, figures.DispatchR, name)
	out.gauge(f.latestS, figures.LatestS, name)
	out.gauge(f.nextSBounds, figures.NextS.Min, name, "min")
	out.gauge(f.nextSBounds, figures.NextS.Max, name, "max")
	out.gauge(f.nextDiscountedSBounds, figures.NextDiscountedS.Min, name, "min")
	out.gauge(f.nextDiscountedSBounds, figures.NextDiscountedS.Max, name, "max")
}
