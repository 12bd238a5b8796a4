package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

const scaler = "system:serviceaccount:shop:scaler"

// limitedTrace has a minute of an operator at 5 requests a second, its limit, of 100 ms and some seats each, and of
// another account at 20 a second.
func limitedTrace(seats uint64) []trace.Request {
	begun := time.Date(2026, 5, 6, 7, 8, 0, 0, time.UTC)
	var all []trace.Request
	for n := range 60 * 20 {
		request := func(user string, seats uint64) trace.Request {
			return trace.Request{
				Arrival: begun.Add(time.Duration(n) * 50 * time.Millisecond), User: user, Client: user, Groups: trace.WellKnownGroups(user), Verb: "get", APIVersion: "v1", Resource: "configmaps", Namespace: "shop", Name: fmt.Sprint("c", n),
				Status: 200, Execution: &metav1.Duration{Duration: 100 * time.Millisecond}, Wait: &metav1.Duration{}, Seats: &trace.Seats{Initial: seats},
			}
		}
		if n%4 == 0 {
			all = append(all, request(scaler, seats))
		}
		all = append(all, request("system:serviceaccount:shop:web", 1))
	}
	return all
}

// Little's law: 5 requests a second that wait 1.9 s each, and execute for 100 ms, are of 10 workers. Without the
// limit these send 100 a second, unless the level has too few seats for as many.
func TestTheRateWithoutALimitAndWhoPays(t *testing.T) {
	for _, test := range []struct {
		name  string
		seats uint64
		total int
		payer simulate.Payer
	}{
		{"a level with many seats", 1, 600, simulate.Nobody},
		{"a level that the client fills", 1, 10, simulate.OthersToo},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := limitedTrace(test.seats)
			open := func() (simulate.Source, error) { return &source{rest: all}, nil }
			limit := simulate.ClientLimit{User: scaler}
			for second := 2; second < 60; second++ {
				limit.Add(all[0].Arrival.Add(time.Duration(second)*time.Second), 1900*time.Millisecond)
			}
			without, err := limit.Without(open)
			require.NoError(t, err)
			c, err := configuration.BuiltIn("1.33")
			require.NoError(t, err)
			c.Total = test.total
			report, err := simulate.Run(context.Background(), simulate.Options{Open: open}, simulate.Candidate{Name: simulate.Baseline, Configuration: c},
				simulate.Candidate{Name: "without-limit", Configuration: c, Without: without})
			require.NoError(t, err)
			require.Len(t, report.Limits, 1)
			e := report.Limits[0]
			assert.Equal(t, 10, e.Workers)
			assert.InEpsilon(t, 5, e.Before, 0.05)
			require.Len(t, e.Levels, 1)
			l := e.Levels[0]
			after := 100.0
			if test.payer == simulate.OthersToo {
				after = report.Results[1].Levels[slices.IndexFunc(report.Results[1].Levels, func(of simulate.Level) bool { return of.Name == l.Name })].Limit.Max / 0.1
				assert.Less(t, after, 100.0)
			}
			assert.InEpsilon(t, after, e.After, 0.05)
			assert.Equal(t, "workload-low", l.Name)
			assert.EqualValues(t, 300, l.OwnBefore.Requests)
			assert.EqualValues(t, 300, l.OwnAfter.Requests, "it sends the same requests, sooner")
			assert.EqualValues(t, 1200, l.OthersAfter.Requests)
			assert.Greater(t, l.SeatsAfter, l.SeatsBefore)
			assert.Equal(t, test.payer, l.Payer(), "%+v", l)
		})
	}
}

func TestRequestsWithoutALimitStayInOrder(t *testing.T) {
	all := limitedTrace(1)
	open := func() (simulate.Source, error) { return &source{rest: all}, nil }
	limit := simulate.ClientLimit{User: scaler}
	limit.Add(all[0].Arrival.Add(30*time.Second), 5*time.Second)
	without, err := limit.Without(open)
	require.NoError(t, err)
	source, err := without.Open()
	require.NoError(t, err)
	var last time.Time
	names := map[string]bool{}
	for {
		var r trace.Request
		if err := source.Read(&r); errors.Is(err, io.EOF) {
			break
		}
		assert.False(t, r.Arrival.Before(last))
		last = r.Arrival
		names[r.User+r.Name] = true
	}
	assert.Len(t, names, len(all), "each request once")
}

func TestALogThatDoesNotFitTheTrace(t *testing.T) {
	open := func() (simulate.Source, error) { return &source{rest: limitedTrace(1)}, nil }
	limit := simulate.ClientLimit{User: scaler}
	limit.Add(time.Time{}, time.Second)
	_, err := limit.Without(open)
	require.ErrorContains(t, err, "has no wait for its own limit, or not its time")
	limit.Add(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), time.Second)
	_, err = limit.Without(open)
	require.ErrorContains(t, err, "must be of the same time and user as the log")
}
