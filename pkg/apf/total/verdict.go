package total

import (
	"math"
	"slices"
)

const (
	// fewestSamples is the number of samples that make a signal known.
	fewestSamples = 3
	// clearQuantile is the quantile of the samples that must be clear.
	clearQuantile = 0.8
	// leastCut and mostCut bound how much a step lowers the total, as parts of it.
	leastCut, mostCut = 0.02, 0.10
)

// threshold has the thresholds of one signal, see the package comment.
type threshold struct{ clear, short, severe float64 }

func thresholds() [SignalCount]threshold {
	return [SignalCount]threshold{
		SchedulingLatency: {0.020, 0.050, 0.100},
		Memory:            {0.75, 0.85, 0.95},
		Throttling:        {0.10, 0.25, 0.50},
	}
}

// verdict is what the samples of one step say about the machine.
type verdict struct {
	// short are the signals that are short, as reasons, the largest cut first.
	short []Reason
	// cut is how much to lower the total, as a part of it; 0 if nothing is short.
	cut float64
	// clear reports whether all known signals are clear.
	clear bool
	// known reports whether the scheduling latency is known.
	known    bool
	pressure [SignalCount]float64
}

// judge judges samples.
func judge(samples []Sample) verdict {
	v := verdict{clear: true}
	for signal, limits := range thresholds() {
		signal := Signal(signal)
		v.pressure[signal] = math.NaN()
		values := valuesOf(samples, signal)
		if len(values) < fewestSamples {
			continue
		}
		median := values[(len(values)-1)/2]
		v.pressure[signal] = median / limits.short
		v.known = v.known || signal == SchedulingLatency
		v.clear = v.clear && values[int(math.Ceil(clearQuantile*float64(len(values))))-1] < limits.clear
		if median >= limits.short {
			v.add(reasonOf(signal), limits.cut(median))
		}
	}
	return v
}

// add adds a signal that is short.
func (v *verdict) add(reason Reason, cut float64) {
	if cut > v.cut {
		v.cut = cut
		v.short = slices.Insert(v.short, 0, reason)
		return
	}
	v.short = append(v.short, reason)
}

// cut returns how much a value that is short lowers the total, as a part of it.
func (t threshold) cut(value float64) float64 {
	severity := (value - t.short) / (t.severe - t.short)
	return leastCut + (mostCut-leastCut)*min(1, severity)
}

// valuesOf returns the known values of a signal in ascending order.
func valuesOf(samples []Sample, signal Signal) []float64 {
	values := make([]float64, 0, len(samples))
	for i := range samples {
		if value, err := samples[i].Value(signal); err == nil {
			values = append(values, value)
		}
	}
	slices.Sort(values)
	return values
}
