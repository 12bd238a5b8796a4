package scenario

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

const example = "testdata/example.yaml"

// head is what every scenario begins with.
const head = "apiVersion: scenario.flowcontrol-apiserver.io/v1alpha1\nkind: Scenario\nduration: 1m\n"

// with returns a scenario with these clients.
func with(t *testing.T, clients string) *Scenario {
	t.Helper()
	s, err := Parse([]byte(head + "clients:\n" + clients))
	require.NoError(t, err)
	return s
}

func generate(t *testing.T, s *Scenario) []trace.Request {
	t.Helper()
	var all []trace.Request
	require.NoError(t, s.Generate(t.Context(), func(r *trace.Request) error {
		all = append(all, *r)
		return nil
	}))
	return all
}

// since returns the arrivals since the start.
func since(s *Scenario, all []trace.Request) []time.Duration {
	var at []time.Duration
	for i := range all {
		at = append(at, all[i].Arrival.Sub(s.Start))
	}
	return at
}

func TestExample(t *testing.T) {
	s, err := Read(example)
	require.NoError(t, err)
	all := generate(t, s)
	of := map[string]int{}
	for i := range all {
		r := &all[i]
		of[r.Client+" "+r.Verb]++
		require.NotNil(t, r.Execution)
		assert.Zero(t, r.Wait.Duration)
		assert.LessOrEqual(t, r.Execution.Duration, r.Latency.Duration)
		if i > 0 {
			assert.False(t, r.Arrival.Before(all[i-1].Arrival), "requests are in the order of their arrivals")
		}
	}
	for i := range all {
		if strings.HasPrefix(all[i].User, "system:serviceaccount:ci:builder-") {
			assert.Equal(t, []string{"system:serviceaccounts", "system:serviceaccounts:ci", "system:authenticated"}, all[i].Groups)
		}
	}
	assert.InDelta(t, 240, of["lister list"], 50)
	assert.Equal(t, 120, of["kubelet update"], "twenty kubelets, every ten seconds")
	assert.Equal(t, 120, of["jobs create"], "three bursts of forty")
	assert.Equal(t, 120, of["operator get"], "one reaction to each write")
	assert.Equal(t, 120, of["operator update"])
	assert.Greater(t, of["builders get"], 4*of["builders patch"])
	assert.GreaterOrEqual(t, of["operator-informer list"], 1)
	assert.GreaterOrEqual(t, of["operator-informer watch"], 2)
}

func TestGenerationIsDeterministicForASeed(t *testing.T) {
	s, err := Read(example)
	require.NoError(t, err)
	first := generate(t, s)
	assert.Equal(t, first, generate(t, s))
	s.Seed++
	assert.NotEqual(t, first, generate(t, s))
}

func TestAnotherClientChangesNothing(t *testing.T) {
	const one = "- {name: a, user: a, requests: [{verb: get, path: /a}], open: {poisson: {rate: 10}}}\n"
	const two = "- {name: b, user: b, requests: [{verb: get, path: /b}], open: {poisson: {rate: 10}}}\n"
	alone, both := generate(t, with(t, one)), generate(t, with(t, two+one))
	var rest []trace.Request
	for i := range both {
		if both[i].User == "a" {
			rest = append(rest, both[i])
		}
	}
	assert.Equal(t, alone, rest)
}

func TestHeader(t *testing.T) {
	s, err := Read(example)
	require.NoError(t, err)
	h, err := s.Header(t.Context())
	require.NoError(t, err)
	all := generate(t, s)
	assert.Equal(t, int64(len(all)), h.Requests)
	assert.Equal(t, all[0].Arrival, *h.Start)
	assert.Equal(t, all[len(all)-1].Arrival, *h.End)
	assert.Equal(t, map[string]trace.Stored{"pods": {Objects: 5000, Bytes: 4000}}, h.Stored)
	assert.Equal(t, uint64(1), h.Seed)
	assert.Empty(t, h.Replicas)

	s.Replicas = 2
	h, err = s.Header(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"replica-0", "replica-1"}, h.Replicas, "kubectl apf simulate takes their number from here")
}

func TestGenerationEnds(t *testing.T) {
	s, err := Read(example)
	require.NoError(t, err)
	enough := errors.New("enough")
	require.ErrorIs(t, s.Generate(t.Context(), func(*trace.Request) error { return enough }), enough)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Header(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func TestTextsHaveTheNumberOfTheClient(t *testing.T) {
	s := with(t, `
- name: kubelets
  count: 2
  user: system:node:{i}
  userAgent: kubelet-{i}
  requests: [{verb: get, resource: pods, namespace: "n-{i}", name: "p-{i}", subresource: status, list: {limit: 1}}]
  open: {constant: {rate: 0.02}}
`)
	all := generate(t, s)
	require.NotEmpty(t, all)
	for i := range all {
		number := strings.TrimPrefix(all[i].User, "system:node:")
		assert.Contains(t, []string{"0", "1"}, number)
		assert.Equal(t, "kubelet-"+number, all[i].Client)
		assert.Equal(t, "n-"+number, all[i].Namespace)
		assert.Equal(t, "p-"+number, all[i].Name)
		assert.Equal(t, "v1", all[i].APIVersion)
		assert.Equal(t, []string{"system:nodes", "system:authenticated"}, all[i].Groups, "the name of a node implies its groups")
		assert.Equal(t, int64(1), all[i].List.Limit)
		assert.Equal(t, 200, all[i].Status)
	}
}

func TestClientsKeepToAReplica(t *testing.T) {
	s, err := Parse([]byte(head + "replicas: 3\nclients:\n- {name: a, count: 50, user: 'a-{i}', requests: [{verb: get, path: /a}], open: {constant: {rate: 0.1}}}\n"))
	require.NoError(t, err)
	of, replicas := map[string]string{}, map[string]bool{}
	all := generate(t, s)
	for i := range all {
		r := &all[i]
		if of[r.User] == "" {
			of[r.User] = r.Replica
		}
		assert.Equal(t, of[r.User], r.Replica)
		replicas[r.Replica] = true
	}
	assert.Equal(t, map[string]bool{"replica-0": true, "replica-1": true, "replica-2": true}, replicas)
}

func TestFromAndUntilLimitWhenAClientSends(t *testing.T) {
	for name, behaviour := range map[string]string{
		"open": "open: {poisson: {rate: 50}}", "bursts": "open: {bursts: {every: 1s, size: 3, within: 1s}}",
		"workers": "workers: {count: 3, thinkTime: 100ms}", "informer": "informer: {watchFor: 1s}",
	} {
		s := with(t, "- {name: a, user: a, from: 20s, until: 30s, requests: [{verb: list, resource: pods, execution: 1ms}], "+behaviour+"}\n")
		at := since(s, generate(t, s))
		require.NotEmpty(t, at, name)
		assert.GreaterOrEqual(t, at[0], 20*time.Second, name)
		assert.Less(t, at[len(at)-1], 30*time.Second, name)
		assert.Greater(t, at[len(at)-1], 25*time.Second, name)
	}
}

func TestRecordedShape(t *testing.T) {
	directory := t.TempDir()
	w, err := trace.Create(filepath.Join(directory, "a.trace"), false, trace.Header{})
	require.NoError(t, err)
	start := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	for second, count := range []int{10, 0, 0, 5, 40} {
		for i := range count {
			user := []string{"alice", "bob"}[i%2]
			require.NoError(t, w.Write(&trace.Request{Arrival: start.Add(time.Duration(second) * time.Second), User: user, Verb: "get", Path: "/a"}))
		}
	}
	require.NoError(t, w.Commit())
	file := filepath.Join(directory, "scenario.yaml")
	write := func(recorded string) {
		text := head + "clients:\n- {name: a, user: a, requests: [{verb: get, path: /a}], open: {recorded: " + recorded + "}}\n"
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	counts := func() [6]int {
		s, err := Read(file)
		require.NoError(t, err)
		var counts [6]int
		for _, at := range since(s, generate(t, s)) {
			counts[at/time.Second]++
		}
		return counts
	}
	write("{trace: a.trace, scale: 2}")
	assert.Equal(t, [6]int{20, 0, 0, 10, 80, 0}, counts())
	write("{trace: a.trace, user: alice}")
	assert.Equal(t, [6]int{5, 0, 0, 3, 20, 0}, counts())

	write("{trace: a.trace, user: carol}")
	_, err = Read(file)
	require.ErrorContains(t, err, file+": clients[0].open.recorded: ")
	require.ErrorContains(t, err, `has no request of the user "carol"`)
	write("{trace: a.trace, step: 1ns}")
	_, err = Read(file)
	require.ErrorContains(t, err, "set a longer step")
	write("{trace: missing.trace}")
	_, err = Read(file)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(filepath.Join(directory, "bad.trace"), []byte("{}\n"), 0o600))
	write("{trace: bad.trace}")
	_, err = Read(file)
	require.ErrorContains(t, err, "bad.trace: line 1 has the kind")
}

func TestDistributions(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for _, test := range []struct {
		d    Distribution
		p99  float64 // of the mean
		name string
	}{
		{Distribution{Mean: Duration(time.Second)}, 1, "constant"},
		{Distribution{Mean: Duration(time.Second), Shape: Exponential}, math.Log(100), "exponential"},
		{Distribution{Mean: Duration(time.Second), Shape: LogNormal, P99: Duration(5 * time.Second)}, 5, "log-normal"},
	} {
		const n = 200_000
		sum, above := 0.0, 0
		for range n {
			d := test.d.draw(random)
			require.GreaterOrEqual(t, d, time.Duration(0))
			sum += d.Seconds()
			if d.Seconds() > test.p99 {
				above++
			}
		}
		assert.InDelta(t, 1, sum/n, 0.02, test.name)
		if test.p99 != 1 {
			assert.InDelta(t, 0.01, float64(above)/n, 0.001, test.name)
		}
	}
}
