package size_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/size"
)

const warmUp = 10 * time.Second

func shapes(until time.Duration) map[string]requests {
	lists := robot(poisson(12), exponential(0.15))
	lists.verb, lists.seats = "list", 5
	return map[string]requests{
		"random":   traffic(1, until, robot(poisson(150), exponential(0.1))),
		"constant": traffic(2, until, person(poisson(200), constant(0.05))),
		"tail":     traffic(3, until, robot(poisson(150), lognormal(0.04, 1.2))),
		"lists":    traffic(4, until, lists, robot(poisson(100), exponential(0.05))),
		"bursts":   traffic(5, until, robot(bursts(2, 60, 0.05), exponential(0.08)), robot(poisson(50), exponential(0.05))),
		"wave":     traffic(6, until, robot(wave(150, 20), exponential(0.1))),
		"levels":   traffic(7, until, robot(poisson(100), exponential(0.1)), person(poisson(60), exponential(0.1)), node(poisson(80), exponential(0.1))),
	}
}

// exhaustive returns the smallest total from which on requests wait less than 100 ms and
// none is rejected, on each level.
func exhaustive(t *testing.T, r requests, engine simulate.EngineKind, c configuration.Configuration, upTo int) int {
	var candidates []simulate.Candidate
	for total := 1; total <= upTo; total++ {
		one := c
		one.Total = total
		candidates = append(candidates, simulate.Candidate{Name: fmt.Sprint(total), Configuration: one})
	}
	report, err := simulate.Run(context.Background(), simulate.Options{Open: r.open, Engine: engine, WarmUp: warmUp}, candidates...)
	require.NoError(t, err)
	least := 0
	for i := range report.Results {
		good := true
		for j := range report.Results[i].Levels {
			l := &report.Results[i].Levels[j]
			good = good && l.Wait.P99 < 0.1 && l.Refused == 0
		}
		if !good {
			least = i + 1
		}
	}
	return least + 1
}

func TestExperiment(t *testing.T) {
	for _, half := range []time.Duration{60 * time.Second} {
		for name, r := range shapes(2 * half) {
			for _, engine := range []simulate.EngineKind{simulate.Ours} {
				begun := time.Now()
				c := builtIn(t)
				got, err := size.Run(context.Background(), size.Options{
					Simulate: simulate.Options{Open: r.half(true).open, Engine: engine, WarmUp: warmUp}, Goals: assertions(t, "wait.p99 < 100ms", "refused == 0"),
				}, c)
				require.NoError(t, err)
				took := time.Since(begun)
				begun = time.Now()
				want := exhaustive(t, r.half(false), engine, c, got.Need.Seats*3/2)
				own := 0
				fmt.Printf("%v %s %s: %s, second half %d, own %d (%.1f %%), %d requests, %d simulations, %v + %v\n", half, name, engine, got.Need, want, own, 100*float64(got.Need.Seats-want)/float64(want), len(r), got.Simulations, took, time.Since(begun))
			}
		}
	}
}
