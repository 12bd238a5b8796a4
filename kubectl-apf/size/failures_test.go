package size_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/size"
)

func TestWhatCannotBeSizedSaysWhy(t *testing.T) {
	r := traffic(1, 20*time.Second, person(poisson(20), exponential(0.1)))
	exempt := traffic(1, 20*time.Second, client{user: "admin", group: "system:masters", verb: "get", arrivals: poisson(5), execution: constant(0.1)})
	late := traffic(1, 60*time.Second, robot(poisson(5), exponential(0.1)), person(func(*random, float64) []float64 { return slices.Repeat([]float64{50}, 50) }, constant(0.1)))
	lending := builtIn(t)
	all, none := int32(100), int32(0)
	for _, l := range lending.PriorityLevels {
		if l.Name == "global-default" {
			l.Spec.Limited.LendablePercent = &all
			l.Spec.Limited.BorrowingLimitPercent = &none
			l.Spec.Limited.LimitResponse = flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject}
		}
	}
	for _, test := range []struct {
		name  string
		r     requests
		c     configuration.Configuration
		goals []string
		says  string
	}{
		{"no goal", r, builtIn(t), nil, "there is no goal to size for"},
		{"a goal that seats do not help", r, builtIn(t), []string{"seats.mean < 3"}, "is one of levels"},
		{"a goal that is no bound", r, builtIn(t), []string{"wait.p99 > 5s"}, `the goal "wait.p99 > 5s" must be an upper bound on waits or rejections`},
		{"a goal that nothing meets", r, builtIn(t), []string{"wait.max < 0s"}, `no number of seats meets the goal "level.global-default.wait.max < 0s": with 100000 seats for each priority level it is 0`},
		{"a goal of an exempt level", r, builtIn(t), []string{"level.exempt.wait.p99 < 1s"}, `the goal "level.exempt.wait.p99 < 1s" is met with any number of seats: the priority level "exempt" is exempt`},
		{"a goal of a level without requests", r, builtIn(t), []string{"level.system.wait.p99 < 1s"}, `the goal "level.system.wait.p99 < 1s" is about nothing: the priority level "system" has no requests`},
		{"a goal of no level", r, builtIn(t), []string{"level.mine.wait.p99 < 1s"}, `the goal "level.mine.wait.p99 < 1s" is about nothing: the priority level "mine" does not exist`},
		{"only exempt requests", exempt, builtIn(t), []string{"rejected == 0"}, "takes seats of the total: there is nothing to size. Requests of exempt priority levels take none"},
		{"a level that has lent all its seats when it needs one", late, lending, []string{"level.global-default.rejected == 0"}, `The priority level "global-default" would not lack seats if it kept them: lower its lendablePercent, or give it shares`},
	} {
		t.Run(test.name, func(t *testing.T) {
			options := size.Options{}
			options.Simulate.Engine, options.Simulate.Open = simulate.APF, test.r.open
			for _, goal := range test.goals {
				a, err := simulate.ParseAssertion(goal)
				if err != nil {
					assert.ErrorContains(t, err, test.says)
					return
				}
				options.Goals = append(options.Goals, a)
			}
			_, err := size.Run(context.Background(), options, test.c)
			assert.ErrorContains(t, err, test.says)
		})
	}
}

func TestFailuresAreReturned(t *testing.T) {
	broken := errors.New("no trace")
	options := size.Options{Goals: assertions(t, "rejected == 0"), Simulate: simulate.Options{Open: func() (simulate.Source, error) { return nil, broken }}}
	_, err := size.Run(context.Background(), options, builtIn(t))
	assert.ErrorIs(t, err, broken)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = size.Run(ctx, of(t, every(0.01), size.Options{}, "rejected == 0"), builtIn(t))
	assert.ErrorContains(t, err, "interrupted")
}
