package suggest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/suggest"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// traffic is a number of requests a second of users, for 15 s.
type traffic []struct {
	user, group string
	perSecond   int
	execution   time.Duration
}

// source reads the requests of traffic in order.
type source struct{ requests []trace.Request }

// opener returns what opens the traffic as a trace.
func (t traffic) opener() func() (simulate.Source, error) {
	s := source{}
	start := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	for second := range 15 {
		for tick := range 1000 {
			for i, of := range t {
				if (tick+i)%(1000/of.perSecond) != 0 {
					continue
				}
				s.requests = append(s.requests, trace.Request{
					Arrival: start.Add(time.Duration(second)*time.Second + time.Duration(tick)*time.Millisecond),
					User:    of.user, Groups: []string{of.group, "system:authenticated"}, Verb: "get", APIVersion: "v1", Resource: "pods", Namespace: "shop",
					Execution: &metav1.Duration{Duration: of.execution},
				})
			}
		}
	}
	return func() (simulate.Source, error) {
		again := s
		return &again, nil
	}
}

// Read implements simulate.Source.
func (s *source) Read(into *trace.Request) error {
	if len(s.requests) == 0 {
		return io.EOF
	}
	*into, s.requests = s.requests[0], s.requests[1:]
	return nil
}

func (*source) Header() trace.Header { return trace.Header{} }
func (*source) Close() error         { return nil }

// builtIn is the built-in configuration on a server of 60 seats, whose levels do not borrow.
func builtIn(t *testing.T) configuration.Configuration {
	t.Helper()
	c, err := configuration.BuiltIn(configuration.Newest)
	require.NoError(t, err)
	c.Total = 60
	none := int32(0)
	for _, l := range c.PriorityLevels {
		if l.Spec.Limited != nil {
			l.Spec.Limited.LendablePercent, l.Spec.Limited.BorrowingLimitPercent = &none, &none
		}
	}
	return c
}

func find(t *testing.T, options suggest.Options, c configuration.Configuration, requests traffic, goals ...string) *suggest.Suggestion {
	t.Helper()
	for _, goal := range goals {
		a, err := simulate.ParseAssertion(goal)
		require.NoError(t, err)
		options.Goals = append(options.Goals, a)
	}
	options.Simulate.Open = requests.opener()
	options.Simulate.Engine = simulate.Ours
	out, err := suggest.Run(context.Background(), options, c)
	require.NoError(t, err)
	return out
}

// crowd wants 18 seats of the level workload-low, whose nominal limit is 25, and 8 of
// global-default, which has 5.
func crowd() traffic {
	return traffic{
		{"system:serviceaccount:shop:robot", "system:serviceaccounts", 50, 200 * time.Millisecond},
		{"alice", "people", 100, 80 * time.Millisecond},
	}
}

func TestSeatsAreFoundForALevelThatLacksThem(t *testing.T) {
	out := find(t, suggest.Options{}, builtIn(t), crowd(), "level.global-default.wait.p99 < 10ms", "level.workload-low.wait.p99 < 10ms")
	assert.True(t, out.Met, "%+v", out)
	assert.NotEmpty(t, out.Steps)
	assert.LessOrEqual(t, out.Simulations, 40)
	assert.False(t, out.Before[0].Holds)
	assert.True(t, out.After[0].Holds)
	names := map[string]bool{}
	for _, l := range out.PriorityLevels {
		names[l.Name] = true
	}
	for _, protected := range configuration.ProtectedLevels() {
		assert.NotContains(t, names, protected)
	}
	assert.Contains(t, names, "global-default")
	gains := false
	for _, d := range out.Differences {
		gains = gains || d.Gains && d.Name == "global-default"
	}
	assert.True(t, gains)
}

func TestSharesMoveAndAreNotAdded(t *testing.T) {
	c := builtIn(t)
	sum := func(levels []*flowcontrolv1.PriorityLevelConfiguration, only map[string]bool) (sum int32) {
		for _, l := range levels {
			if only[l.Name] {
				sum += *l.Spec.Limited.NominalConcurrencyShares
			}
		}
		return sum
	}
	out := find(t, suggest.Options{}, c, crowd(), "level.global-default.wait.p99 < 10ms")
	changed := map[string]bool{}
	for _, l := range out.PriorityLevels {
		changed[l.Name] = true
	}
	assert.Equal(t, sum(c.PriorityLevels, changed), sum(out.PriorityLevels, changed))
}

func TestTheBaselineIsNotChanged(t *testing.T) {
	c := builtIn(t)
	before, err := json.Marshal(c.PriorityLevels)
	require.NoError(t, err)
	find(t, suggest.Options{}, c, crowd(), "level.global-default.wait.p99 < 10ms")
	after, err := json.Marshal(c.PriorityLevels)
	require.NoError(t, err)
	assert.JSONEq(t, string(before), string(after))
}

func TestProtectedLevelsAreNeitherChangedNorHarmed(t *testing.T) {
	// The level system lacks seats, and is protected.
	nodes := traffic{{"system:node:n", "system:nodes", 100, 200 * time.Millisecond}}
	goal := "level.system.wait.p99 < 10ms"
	out := find(t, suggest.Options{}, builtIn(t), nodes, goal)
	assert.False(t, out.Met)
	assert.Empty(t, out.Steps)
	assert.Empty(t, out.PriorityLevels)
	assert.Equal(t, 1, out.Simulations)
	out = find(t, suggest.Options{Allow: []string{"system"}}, builtIn(t), nodes, goal)
	assert.True(t, out.Met, "%+v", out)
}

// The seats of global-default that others borrow would be needed: a suggestion that lets
// node-high wait is not taken.
func TestAConfigurationThatHarmsAProtectedLevelIsNotTaken(t *testing.T) {
	c := builtIn(t)
	most := int32(100)
	for _, l := range c.PriorityLevels {
		if l.Name == "global-default" || l.Name == "workload-low" {
			l.Spec.Limited.LendablePercent = &most
		}
		if l.Spec.Limited != nil {
			l.Spec.Limited.BorrowingLimitPercent = nil
		}
	}
	requests := append(crowd(), traffic{{"system:node:n", "system:nodes", 100, 150 * time.Millisecond}}...)
	for i := range requests {
		requests[i].perSecond *= 2
	}
	out := find(t, suggest.Options{Simulations: 15}, c, requests, "level.global-default.wait.p99 < 1ms")
	for _, d := range out.Differences {
		for _, name := range configuration.ProtectedLevels() {
			assert.False(t, d.Kind == simulate.OfLevel && d.Name == name && !d.Gains, "%+v", d)
		}
	}
}

func TestTheNumberOfSimulationsIsALimit(t *testing.T) {
	for _, most := range []int{2, 5} {
		out := find(t, suggest.Options{Simulations: most}, builtIn(t), crowd(), "level.global-default.wait.max == 0s", "level.global-default.seats.max < 1")
		assert.False(t, out.Met)
		assert.Equal(t, most, out.Simulations)
	}
}

func TestTheSuggestionCanBeApplied(t *testing.T) {
	out := find(t, suggest.Options{}, builtIn(t), crowd(), "schema.global-default.wait.p99 < 10ms")
	require.True(t, out.Met)
	text, err := out.Manifests()
	require.NoError(t, err)
	documents := bytes.Split([]byte(text), []byte("---\n"))[1:]
	require.Len(t, documents, len(out.PriorityLevels))
	for i, document := range documents {
		var l flowcontrolv1.PriorityLevelConfiguration
		require.NoError(t, yaml.UnmarshalStrict(document, &l))
		assert.Equal(t, out.PriorityLevels[i].Name, l.Name)
		assert.Equal(t, out.PriorityLevels[i].Spec, l.Spec)
		assert.NotContains(t, string(document), "status")
	}
	var table bytes.Buffer
	require.NoError(t, write(out, &table))
	for _, want := range []string{"The goals are met after ", "GOALS BEFORE", "GOALS AFTER", "WHO GAINS AND WHO PAYS", "CONFIGURATION\n---\n"} {
		assert.Contains(t, table.String(), want)
	}
}

func write(s *suggest.Suggestion, out io.Writer) error {
	return s.WriteTable(out, table.Options{})
}

func TestInvalidSearchesAreErrors(t *testing.T) {
	_, err := suggest.Run(context.Background(), suggest.Options{}, builtIn(t))
	assert.EqualError(t, err, "there is no goal to search for")
	a, err := simulate.ParseAssertion("rejected == 0")
	require.NoError(t, err)
	_, err = suggest.Run(context.Background(), suggest.Options{Goals: []*simulate.Assertion{a}, Simulations: 1}, builtIn(t))
	assert.EqualError(t, err, "the number of simulations is 1: must be at least 2")
	broken := fmt.Errorf("no trace")
	options := suggest.Options{Goals: []*simulate.Assertion{a}}
	options.Simulate.Open = func() (simulate.Source, error) { return nil, broken }
	_, err = suggest.Run(context.Background(), options, builtIn(t))
	assert.ErrorIs(t, err, broken)
}
