package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/latencylimit"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/total"
)

// regime is a way to determine how many seats there are.
type regime struct {
	name   string
	static int // the total at the start
	args   []string
	// moves reports whether the number of seats changes, and so needs time to come to rest.
	moves bool
	// govern, if set, returns the number of seats of the elephant's level, and is called
	// every second under load. Without it the server decides.
	govern func(seats float64, seen reading) float64
}

// reading is what a server did in the last second.
type reading struct {
	latency  float64 // mean execution in seconds; 0 if nothing finished
	waiting  float64 // requests in queues
	pressure [total.SignalCount]float64
}

// regimes returns the regimes that are compared: static totals, the adaptive one, and then
// limits by latency and an adaptive total that knows one signal alone.
func (s shortage) regimes() (regimes []regime) {
	totals := s.totals()
	for _, total := range totals {
		regimes = append(regimes, regime{name: fmt.Sprintf("static, %d", total), static: total, args: []string{"--flow-control-total=static"}})
	}
	lowest, highest := totals[0], totals[len(totals)-1]
	regimes = append(regimes, regime{name: "adaptive", static: s.static, moves: true, args: []string{
		"--flow-control-total=adaptive", fmt.Sprintf("--flow-control-total-min=%d", lowest), fmt.Sprintf("--flow-control-total-max=%d", highest),
	}})
	governed := func(name string, govern func(float64, reading) float64) {
		regimes = append(regimes, regime{name: name, static: s.static, moves: true, govern: func(seats float64, seen reading) float64 {
			return min(float64(highest), max(float64(lowest), govern(seats, seen)))
		}})
	}
	governed("Gradient2", byLatency(latencylimit.NewGradient2()))
	governed("Vegas", byLatency(latencylimit.NewVegas(rand.New(rand.NewPCG(1, 1)))))
	options := total.Options{Mode: total.Adaptive, Min: lowest, Max: highest}
	governed("scheduling latency alone", bySignal(total.SchedulingLatency, 0.050, total.NewController(s.static, options, 0)))
	governed("memory alone", bySignal(total.Memory, 0.85, total.NewController(s.static, options, 0)))
	return regimes
}

// byLatency follows a limit by latency.
func byLatency(limit latencylimit.Limit) func(float64, reading) float64 {
	return func(seats float64, seen reading) float64 {
		if seen.latency == 0 {
			return seats
		}
		return limit.Next(seats, seen.latency)
	}
}

// bySignal follows the controller of package total, which gets one signal alone. Pressure is
// relative to the value that makes the signal short.
func bySignal(signal total.Signal, short float64, controller *total.Controller) func(float64, reading) float64 {
	var now time.Duration
	var samples []total.Sample
	return func(seats float64, seen reading) float64 {
		now += time.Second
		var sample total.Sample
		for other := range total.SignalCount {
			sample[other].Err = total.ErrQuiet
		}
		sample[total.SchedulingLatency] = total.Reading{} // clear: unknown, it would forbid to rise
		sample[signal] = total.Reading{Value: seen.pressure[signal] * short}
		if samples = append(samples, sample); !controller.Due(now) {
			return seats
		}
		load := total.Load{Use: seats}
		if seen.waiting > 0 {
			load.Short = 1
		}
		recommended := controller.Step(now, samples, load)
		samples = nil
		return float64(recommended.Total)
	}
}
