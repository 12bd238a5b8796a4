package dashboard

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/top"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// cluster is a source with one replica whose level "system" has one more seat in use at each
// reading.
type cluster struct {
	source.Source
	clock *clocktesting.FakeClock
	reads int
	flows int
	err   error
}

func (c *cluster) Replicas(context.Context, source.Want) ([]replica.Replica, error) {
	if c.err != nil {
		return nil, c.err
	}
	c.reads++
	read := replica.Replica{Name: "a", Read: c.clock.Now(), Metrics: replica.Metrics{
		Levels: map[string]replica.LevelMetrics{"system": {Nominal: new(8), Current: new(10), SeatsInUse: new(c.reads)}},
		Schemas: map[replica.SchemaKey]replica.SchemaMetrics{
			{Level: "system", FlowSchema: "nodes"}: {Waiting: new(2), Rejected: map[string]uint64{"queue-full": uint64(6 * c.reads)}},
		},
	}}
	for i := range c.flows {
		read.Flows = append(read.Flows, replica.Flow{Level: "system", FlowSchema: "nodes", Distinguisher: fmt.Sprint(i), SeatSeconds1m: float64(i)})
	}
	return []replica.Replica{read}, nil
}

func newDashboard() (*Dashboard, *cluster) {
	c := &cluster{clock: clocktesting.NewFakeClock(time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)), flows: 3}
	return New(c, Options{Name: "here", Interval: 2 * time.Second, Flows: 2, Clock: c.clock}), c
}

func TestStateHasTheReadingsAfterTheLastOneThatThePageHas(t *testing.T) {
	d, c := newDashboard()
	assert.Empty(t, d.State(0).Readings)
	require.NoError(t, d.Read(t.Context()))
	c.clock.Step(2 * time.Second)
	require.NoError(t, d.Read(t.Context()))

	all := d.State(0)
	system := func(seats int, perSecond *float64) []top.Level {
		level := all.Levels.Levels[0] // the last sample
		level.SeatsInUse, level.RejectedPerSecond, level.Rejected = &seats, perSecond, nil
		return []top.Level{level}
	}
	for i := range all.Readings {
		all.Readings[i].Levels[0].Rejected = nil // it grows
	}
	assert.Equal(t, []Reading{
		{Number: 1, At: c.clock.Now().Add(-2 * time.Second), Levels: system(1, nil)},
		{Number: 2, At: c.clock.Now(), Levels: system(2, new(3.0))},
	}, all.Readings)
	assert.Equal(t, 2, *all.Levels.Total.SeatsInUse, "the tables have the last reading")
	assert.Len(t, all.Flows.Flows, 2)
	assert.Equal(t, 1, all.Flows.Omitted)
	assert.Equal(t, all.Readings[1:], d.State(1).Readings)
	assert.Empty(t, d.State(2).Readings)
}

func TestReadingsAreForgottenAfterTheWindow(t *testing.T) {
	d, c := newDashboard()
	for range 3 {
		require.NoError(t, d.Read(t.Context()))
		c.clock.Step(Window / 2)
	}
	assert.Len(t, d.State(0).Readings, 3, "the first one is as old as the window")
	require.NoError(t, d.Read(t.Context()))
	assert.Equal(t, 2, d.State(0).Readings[0].Number)
}

func TestReadingThatFailsLeavesTheFigures(t *testing.T) {
	d, c := newDashboard()
	require.NoError(t, d.Read(t.Context()))
	c.err = errors.New("the server cannot be reached")
	require.ErrorIs(t, d.Read(t.Context()), c.err)
	state := d.State(0)
	assert.Equal(t, c.err.Error(), state.Error)
	assert.Len(t, state.Readings, 1)
	assert.Equal(t, 1, *state.Levels.Levels[0].SeatsInUse)

	c.err = nil
	require.NoError(t, d.Read(t.Context()))
	assert.Empty(t, d.State(0).Error)
}

func TestRunReadsAtEachInterval(t *testing.T) {
	d, c := newDashboard()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.Run(ctx)
	}()
	for number := 1; number <= 2; number++ {
		eventually.Holds(t, "it waits for the interval", func(a *eventually.Attempt) { require.True(a, c.clock.HasWaiters()) })
		c.clock.Step(2 * time.Second)
		eventually.Holds(t, "it reads", func(a *eventually.Attempt) { require.Len(a, d.State(0).Readings, number) })
	}
	cancel()
	<-ended
}

// ask sends a request to the handler.
func ask(t *testing.T, d *Dashboard, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	recorder := httptest.NewRecorder()
	d.Handler("secret").ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), method, path, http.NoBody))
	return recorder
}

func TestPageIsForThoseWhoKnowTheToken(t *testing.T) {
	d, _ := newDashboard()
	for _, path := range []string{"/", "/state", "/wrong/", "/wrong/state", "/secret/other"} {
		response := ask(t, d, http.MethodGet, path)
		assert.Equal(t, http.StatusNotFound, response.Code, path)
		assert.NotContains(t, response.Body.String(), "<html", path)
	}
	assert.NotEqual(t, http.StatusOK, ask(t, d, http.MethodPost, "/secret/state").Code)
	response := ask(t, d, http.MethodGet, "/secret/state?after=x")
	assert.Equal(t, http.StatusBadRequest, response.Code)
	assert.Contains(t, response.Body.String(), "after must be the number of a reading")

	response = ask(t, d, http.MethodGet, "/secret/state")
	for header, want := range map[string]string{
		"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		assert.Equal(t, want, response.Header().Get(header))
		assert.Equal(t, want, ask(t, d, http.MethodGet, "/secret/").Header().Get(header), "of the page too")
	}
	var state State
	require.NoError(t, json.Unmarshal(response.Body.Bytes(), &state))
	assert.Equal(t, "here", state.Name)
	assert.NotNil(t, state.Readings, "null is no list")
}

func TestPageLoadsNothingElse(t *testing.T) {
	d, _ := newDashboard()
	response := ask(t, d, http.MethodGet, "/secret/")
	page, policy := response.Body.String(), response.Header().Get("Content-Security-Policy")
	assert.Contains(t, policy, "default-src 'none'")
	for _, tag := range []string{"style", "script"} {
		inline := regexp.MustCompile(`(?s)<` + tag + `>(.+)</` + tag + `>`).FindStringSubmatch(page)
		require.NotNil(t, inline, tag)
		sum := sha256.Sum256([]byte(inline[1]))
		assert.Contains(t, policy, tag+"-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'", "the browser would not run it")
	}
	assert.NotRegexp(t, `(src|href)="[^"d]`, page, "a link or a source; d: the empty icon's is data")
	assert.NotContains(t, page, "innerHTML", "names in figures are text, never markup")
}
