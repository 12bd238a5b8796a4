package main

import (
	"errors"
	"io"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/trace"
)

// figures are what became of the requests of one priority level.
type figures struct {
	requests int
	p50, p99 float64 // of the waits of dispatched requests, in seconds
	rejected float64 // share of the requests
	seats    float64 // in use, mean
}

// measured returns the figures of the levels of a trace, by name, as the server recorded them,
// without the warm-up.
func measured(file string, warmUp time.Duration) (map[string]figures, error) {
	source, err := trace.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = source.Close() }() // it was only read
	waits, out := map[string][]float64{}, map[string]figures{}
	var first, last time.Time
	for {
		var r trace.Request
		if err := source.Read(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if first.IsZero() {
			first = r.Arrival.Add(warmUp)
		}
		if r.Arrival.Before(first) {
			continue
		}
		if r.Latency != nil && r.Verb != "watch" && r.Arrival.Add(r.Latency.Duration).After(last) {
			last = r.Arrival.Add(r.Latency.Duration)
		}
		if !strings.HasPrefix(r.PriorityLevel, prefix) {
			continue
		}
		f := out[r.PriorityLevel]
		f.requests++
		if r.Rejected != "" {
			f.rejected++
		} else {
			if r.Wait != nil {
				waits[r.PriorityLevel] = append(waits[r.PriorityLevel], r.Wait.Seconds())
			}
			if r.Seats != nil && r.Execution != nil {
				f.seats += float64(r.Seats.Initial)*r.Execution.Seconds() + float64(r.Seats.Final)*r.Seats.AdditionalLatency.Seconds()
			}
		}
		out[r.PriorityLevel] = f
	}
	for name, f := range out {
		f.rejected /= float64(f.requests)
		f.seats /= last.Sub(first).Seconds()
		if len(waits[name]) > 0 {
			f.p50, f.p99 = measurement.Quantile(waits[name], 0.5), measurement.Quantile(waits[name], 0.99)
		}
		out[name] = f
	}
	return out, nil
}

// predicted returns the figures of the levels of a simulation, by name.
func predicted(r simulate.Result) map[string]figures {
	out := map[string]figures{}
	for i := range r.Levels {
		l := &r.Levels[i]
		if strings.HasPrefix(l.Name, prefix) && l.Requests > 0 {
			out[l.Name] = figures{
				requests: int(l.Requests), p50: l.Wait.P50, p99: l.Wait.P99,
				rejected: float64(l.Rejected) / float64(l.Requests), seats: l.Seats.Mean,
			}
		}
	}
	return out
}
