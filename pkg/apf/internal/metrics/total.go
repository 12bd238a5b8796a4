package metrics

import (
	"maps"
	"math"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/total"
)

// NewTotalCollector returns a Collector of the total of the server, the total that is recommended, and why.
// Without a recommendation there is only the total in effect, and an unknown signal has no series.
func NewTotalCollector(status func() total.Status) *Collector {
	c := &Collector{}
	inEffect := c.add(prefix+"total_seats",
		alpha+"Number of seats that the priority levels share", nil)
	recommended := c.add(prefix+"recommended_total_seats",
		alpha+"Number of seats that the machine can handle, by its signals", nil)
	steps := c.add(prefix+"recommended_total_steps_total",
		alpha+"Number of computations of the recommended total, every 10 seconds, by the reasons for its change or for none", nil, "reason")
	pressure := c.add(prefix+"machine_pressure_ratio",
		alpha+"Signals of the machine (scheduling-latency, memory, throttling) in the last 10 seconds, relative to the threshold that lowers the recommended total", nil, "signal")
	c.collect = func(out *output) {
		status := status()
		out.gauge(inEffect, float64(status.InEffect))
		if !status.Active {
			return
		}
		out.gauge(recommended, float64(status.Recommendation.Total))
		for _, reason := range slices.Sorted(maps.Keys(status.Steps)) {
			out.counter(steps, status.Steps[reason], string(reason))
		}
		for signal, value := range status.Recommendation.Pressure {
			if !math.IsNaN(value) {
				out.gauge(pressure, value, total.Signal(signal).String())
			}
		}
	}
	return c
}
