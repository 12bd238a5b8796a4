package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/scenario"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/trace"
)

func TestEveryRequestOfACaseCanBeSent(t *testing.T) {
	cases, err := readCases("")
	require.NoError(t, err)
	assert.Len(t, cases, 8)
	held := 0
	for _, c := range cases {
		if c.held {
			held++
		}
		clients, err := c.clients(7)
		require.NoError(t, err, c.name)
		assert.Equal(t, uint64(7), clients.Seed)
		requests := 0
		require.NoError(t, clients.Generate(t.Context(), func(r *trace.Request) error {
			requests++
			_, err := (&sender{exact: "5"}).path(r)
			return err
		}), c.name)
		assert.Positive(t, requests, c.name)
	}
	assert.Equal(t, 4, held)
	_, err = readCases("none")
	assert.ErrorContains(t, err, `-case is "none": must be one of elephant, burst, `)
}

func TestTheProxyDelaysWhatTheNameOrTheLimitSays(t *testing.T) {
	for _, d := range []time.Duration{0, 5 * time.Millisecond, 125 * time.Millisecond, 500 * time.Millisecond} {
		assert.Equal(t, d, delayOf(&etcdserverpb.RangeRequest{Key: []byte("/registry/flowschemas/" + slowName(d))}))
		if d > 0 {
			assert.Equal(t, d, delayOf(&etcdserverpb.RangeRequest{Key: []byte("/registry/flowschemas/"), Limit: slowLimit(d)}))
		}
	}
	assert.Equal(t, 500*time.Millisecond, delayOf(&etcdserverpb.RangeRequest{Limit: slowLimit(time.Hour)}))
	assert.Zero(t, delayOf(&etcdserverpb.RangeRequest{Key: []byte("/registry/flowschemas/exempt")}))
	assert.Zero(t, delayOf(&etcdserverpb.RangeRequest{Key: []byte("/registry/flowschemas/"), Limit: 1000}))
}

func TestClientsSendWhatTheyWouldSendAfterTheirAnswers(t *testing.T) {
	s, err := scenario.Parse([]byte(`
apiVersion: scenario.flowcontrol-apiserver.io/v1alpha1
kind: Scenario
duration: 50ms
clients:
- name: open
  user: alice
  requests: [{verb: get, apiGroup: flowcontrol.apiserver.k8s.io, resource: flowschemas, execution: 1ms}]
  open: {constant: {rate: 100}}
- name: closed
  user: bob
  requests: [{verb: get, apiGroup: flowcontrol.apiserver.k8s.io, resource: flowschemas, execution: 1ms}]
  workers: {thinkTime: 1s, retries: {attempts: 1}}
`))
	require.NoError(t, err)
	var mu sync.Mutex
	sent := map[string]int{}
	require.NoError(t, play(t.Context(), s, func(_ context.Context, c scenario.Call) (scenario.Answer, error) {
		mu.Lock()
		defer mu.Unlock()
		sent[c.Client]++
		return scenario.Answer{Status: http.StatusOK}, nil
	}))
	assert.Equal(t, 5, sent["open"])
	assert.LessOrEqual(t, sent["closed"], 1, "the next one is after the end")

	broken := errors.New("the server is gone")
	assert.ErrorIs(t, play(t.Context(), s, func(context.Context, scenario.Call) (scenario.Answer, error) { return scenario.Answer{}, broken }), broken)
}

func TestASenderIsTheUserOfTheCall(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "alice", r.Header.Get("Impersonate-User"))
		assert.Equal(t, []string{"devs", "fidelity"}, r.Header.Values("Impersonate-Group"))
		if r.URL.Path == flowSchemas+"/"+slowName(time.Second) {
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		w.WriteHeader(http.StatusForbidden)
	}))
	defer server.Close()
	s := &sender{client: server.Client(), base: server.URL}
	c := scenario.Call{Request: trace.Request{User: "alice", Groups: []string{"devs", "fidelity"}, Verb: "get", Resource: "flowschemas"}}
	c.Request.Execution = duration(time.Second)
	answer, err := s.send(t.Context(), c)
	require.NoError(t, err, "a rejected request is no error")
	assert.Equal(t, scenario.Answer{Status: http.StatusTooManyRequests, RetryAfter: 3 * time.Second}, answer)
	c.Request.Execution = duration(0)
	_, err = s.send(t.Context(), c)
	assert.ErrorContains(t, err, "get of alice: 403 Forbidden", "what no case provokes is an error")
}

func TestAWaitIsNearWithinAPartOrATime(t *testing.T) {
	near := func(actual, predicted float64) bool { return value{[]float64{actual}, []float64{predicted}}.near() }
	assert.True(t, near(0.1, 0.114))
	assert.True(t, near(0.1, 0.086))
	assert.False(t, near(0.1, 0.12))
	assert.False(t, near(0.1, 0.08))
	assert.True(t, near(0.001, 0.0028))
	assert.False(t, near(0.001, 0.0035))
	assert.InDeltaSlice(t, []float64{0, 0.5}, value{[]float64{0.001, 0.1}, []float64{0.002, 0.05}}.parts(), 1e-9)
}

func duration(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }
