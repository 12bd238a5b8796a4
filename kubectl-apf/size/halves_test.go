package size_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/size"
)

// shape is traffic whose second half is like the first.
type shape struct {
	name    string
	clients []client
}

// shapes returns the shapes of the short lane, and the shapes of the long lane only.
func shapes() (short, long []shape) {
	lists := robot(poisson(12), exponential(0.15))
	lists.verb, lists.seats = "list", 5
	return []shape{
			{"bursts", []client{robot(bursts(2, 60, 0.05), exponential(0.08)), robot(poisson(50), exponential(0.05))}},
			{"wide lists", []client{lists, robot(poisson(100), exponential(0.05))}},
		}, []shape{
			{"random arrivals", []client{robot(poisson(150), exponential(0.1))}},
			{"constant executions", []client{person(poisson(200), constant(0.05))}},
			{"long tail of executions", []client{robot(poisson(150), lognormal(0.04, 1.2))}},
			{"waves", []client{robot(wave(150, 20), exponential(0.1))}},
			{"three levels", []client{robot(poisson(100), exponential(0.1)), person(poisson(60), exponential(0.1)), node(poisson(80), exponential(0.1))}},
		}
}

// exhaustive tries every total downward, and returns the smallest one where, as for all larger
// ones, fewer than 1 % of the requests wait 100 ms or more, and none is rejected, on each level.
func exhaustive(t *testing.T, options simulate.Options, c configuration.Configuration, from int) int {
	t.Helper()
	for top := from; top > 0; top -= 4 {
		var candidates []simulate.Candidate
		for total := top; total > max(0, top-4); total-- {
			one := c
			one.Total = total
			candidates = append(candidates, simulate.Candidate{Name: fmt.Sprint(total), Configuration: one})
		}
		report, err := simulate.Run(context.Background(), options, candidates...)
		require.NoError(t, err)
		for i := range report.Results {
			for _, l := range report.Results[i].Levels {
				if l.Wait.P99 >= 0.1 || l.Rejected > 0 {
					require.Less(t, top-i, from, "no total meets the goals")
					return top - i + 1
				}
			}
		}
	}
	return 1
}

// fitsTheOtherHalf sizes the first half, and searches the second one exhaustively.
func fitsTheOtherHalf(t *testing.T, r requests, engine simulate.EngineKind) {
	t.Helper()
	options := simulate.Options{Open: r.half(true).open, Engine: engine}
	got, err := size.Run(context.Background(), size.Options{Simulate: options, Goals: assertions(t, "wait.p99 < 100ms", "rejected == 0")}, builtIn(t))
	require.NoError(t, err)
	options.Open = r.half(false).open
	want := exhaustive(t, options, builtIn(t), got.Need.Seats*3/2+2)
	off := 100 * (float64(got.Need.Seats)/float64(want) - 1)
	t.Logf("sized %s, needed %d: %+.1f %%, %d simulations", got.Need, want, off, got.Simulations)
	assert.InDelta(t, 0, off, 15, "in percent")
}

// An answer is within 15 % of what an exhaustive search finds on requests that it has not seen.
func TestASizeFitsTheHalfThatItHasNotSeen(t *testing.T) {
	short, _ := shapes()
	for i, shape := range short {
		t.Run(shape.name, func(t *testing.T) {
			fitsTheOtherHalf(t, traffic(uint64(i+1), 5*time.Minute, shape.clients...), simulate.APF)
		})
	}
}
