package scenario

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exchange drives a population until it has sent n requests. respond returns when and how
// a call is answered; every call is answered before the next one is sent.
func exchange(t *testing.T, p *Population, n int, respond func(Call) (time.Duration, Answer)) []Call {
	t.Helper()
	var calls []Call
	for range n {
		_, ok := p.Next()
		require.True(t, ok)
		call := p.Send()
		calls = append(calls, call)
		after, answer := respond(call)
		p.Answer(call, call.At+after, answer)
	}
	return calls
}

func distances(calls []Call) []time.Duration {
	var between []time.Duration
	for i := 1; i < len(calls); i++ {
		between = append(between, calls[i].At-calls[i-1].At)
	}
	return between
}

const oneWorker = "- {name: a, user: a, requests: [{verb: create, resource: pods, execution: {mean: 1ms, shape: exponential}}], workers: {thinkTime: 100ms"

func TestWorkerThinksAfterItsAnswer(t *testing.T) {
	p := New(with(t, oneWorker+"}}\n"))
	calls := exchange(t, p, 4, func(Call) (time.Duration, Answer) { return 50 * time.Millisecond, Answer{Status: 201} })
	assert.Equal(t, []time.Duration{150 * time.Millisecond, 150 * time.Millisecond, 150 * time.Millisecond}, distances(calls))
	assert.Equal(t, 201, calls[0].Request.Status)
}

func TestWorkerSendsNothingWithoutAnAnswer(t *testing.T) {
	p := New(with(t, oneWorker+"}}\n"))
	call := p.Send()
	_, ok := p.Next()
	assert.False(t, ok)
	p.Answer(call, time.Hour, Answer{Status: 200})
	_, ok = p.Next()
	assert.False(t, ok, "the scenario is over")
}

func TestRetries(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	for _, test := range []struct {
		name, retries string
		answer        Answer
		want          []time.Duration
		same          int // calls that repeat the first one, with it
	}{
		{"Retry-After is honoured ten times", "", Answer{429, 2 * s}, []time.Duration{2 * s, 2 * s, 2 * s, 2 * s, 2 * s, 2 * s, 2 * s, 2 * s, 2 * s, 2 * s, 100 * ms}, 11},
		{"fewer attempts", ", retries: {attempts: 1}", Answer{429, 2 * s}, []time.Duration{2 * s, 100 * ms, 2 * s}, 2},
		{"no attempts", ", retries: {attempts: 0}", Answer{429, 2 * s}, []time.Duration{100 * ms, 100 * ms}, 1},
		{"without Retry-After nothing is repeated", "", Answer{429, 0}, []time.Duration{100 * ms, 100 * ms}, 1},
		{"a backoff is doubled up to a minute", ", retries: {backoff: 1s}", Answer{429, 0}, []time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s}, 6},
		{"Retry-After is ignored", ", retries: {backoff: 1s, ignoreRetryAfter: true}", Answer{429, 7 * s}, []time.Duration{s, 2 * s, 4 * s}, 4},
		{"Retry-After precedes the backoff", ", retries: {backoff: 1s}", Answer{429, 7 * s}, []time.Duration{7 * s, 7 * s}, 3},
		{"an error is not repeated", "", Answer{500, 7 * s}, []time.Duration{100 * ms, 100 * ms}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := New(with(t, oneWorker+test.retries+"}}\n"))
			calls := exchange(t, p, len(test.want)+1, func(Call) (time.Duration, Answer) { return 0, test.answer })
			assert.Equal(t, test.want, distances(calls))
			for i, call := range calls[1:] {
				same := *call.Request.Execution == *calls[0].Request.Execution
				assert.Equal(t, i+1 < test.same, same, "call %d", i+2)
			}
		})
	}
	assert.Equal(t, time.Minute, doubled(time.Second, 50, time.Minute))
}

func TestTimePassesEvenIfNothingTakesAny(t *testing.T) {
	p := New(with(t, `
- {name: a, user: a, requests: [{verb: create, resource: pods}], workers: {}}
- {name: b, user: b, requests: [{verb: create, resource: pods}], controller: {reactsTo: [a, b]}}
`))
	calls := exchange(t, p, 100, func(Call) (time.Duration, Answer) { return 0, Answer{Status: 201} })
	assert.Greater(t, calls[99].At, calls[0].At+10*time.Microsecond)
}

const informed = "- {name: a, user: a, requests: [{verb: list, resource: pods, list: {limit: 500, labelSelector: a=b}, execution: 7ms}], informer: {watchFor: 10s, execution: 1ms"

func verbs(calls []Call) []string {
	var verbs []string
	for _, call := range calls {
		verbs = append(verbs, call.Request.Verb)
	}
	return verbs
}

func TestInformer(t *testing.T) {
	lasts := func(c Call) (time.Duration, Answer) {
		if c.Request.Verb == "watch" {
			return c.Request.Latency.Duration, Answer{Status: 200}
		}
		return 0, Answer{Status: 200}
	}
	t.Run("it lists once, and watches again and again", func(t *testing.T) {
		calls := exchange(t, New(with(t, informed+"}}\n")), 4, lasts)
		assert.Equal(t, []string{"list", "watch", "watch", "watch"}, verbs(calls))
		assert.Equal(t, int64(500), calls[0].Request.List.Limit)
		assert.Equal(t, "a=b", calls[1].Request.List.LabelSelector)
		assert.Equal(t, "1", calls[1].Request.List.ResourceVersion)
		assert.Equal(t, time.Millisecond, calls[1].Request.Execution.Duration)
		for _, d := range distances(calls)[1:] {
			assert.GreaterOrEqual(t, d, 10*time.Second)
			assert.Less(t, d, 20*time.Second)
		}
	})
	t.Run("it lists again if its version is gone", func(t *testing.T) {
		calls := exchange(t, New(with(t, informed+", relist: 1}}\n")), 4, lasts)
		assert.Equal(t, []string{"list", "watch", "list", "watch"}, verbs(calls))
	})
	t.Run("it may watch instead of listing", func(t *testing.T) {
		calls := exchange(t, New(with(t, informed+", watchList: true}}\n")), 2, lasts)
		assert.Equal(t, []string{"watch", "watch"}, verbs(calls))
		assert.True(t, *calls[0].Request.List.SendInitialEvents)
		assert.Equal(t, 7*time.Millisecond, calls[0].Request.Execution.Duration)
		assert.Nil(t, calls[1].Request.List.SendInitialEvents)
	})
	t.Run("it waits longer after each failure", func(t *testing.T) {
		calls := exchange(t, New(with(t, informed+"}}\n")), 4, func(Call) (time.Duration, Answer) { return 0, Answer{Status: 429} })
		assert.Equal(t, []string{"list", "list", "list", "list"}, verbs(calls))
		for i, d := range distances(calls) {
			least := 800 * time.Millisecond << i
			assert.GreaterOrEqual(t, d, least)
			assert.Less(t, d, 2*least)
		}
	})
	t.Run("and at least as long as Retry-After", func(t *testing.T) {
		calls := exchange(t, New(with(t, informed+"}}\n")), 2, func(Call) (time.Duration, Answer) { return 0, Answer{429, 20 * time.Second} })
		assert.Equal(t, []time.Duration{20 * time.Second}, distances(calls))
	})
}

func TestController(t *testing.T) {
	s := with(t, `
- {name: writer, user: w, requests: [{verb: create, resource: pods, execution: 10ms}], open: {bursts: {every: 1m, size: 5}}}
- name: controller
  user: c
  requests: [{verb: get, resource: pods, execution: 100ms}, {verb: update, resource: pods, execution: 200ms}]
  controller: {reactsTo: [writer], workers: 2, delay: 1s}
`)
	all := generate(t, s)
	at := since(s, all)
	var reads, writes []time.Duration
	for i := range all {
		switch all[i].Verb {
		case "get":
			reads = append(reads, at[i])
		case "update":
			writes = append(writes, at[i])
		}
	}
	const ms = time.Millisecond
	assert.Equal(t, []time.Duration{1010 * ms, 1010 * ms, 1310 * ms, 1310 * ms, 1610 * ms}, reads, "two workers take five reactions")
	assert.Equal(t, []time.Duration{1110 * ms, 1110 * ms, 1410 * ms, 1410 * ms, 1710 * ms}, writes)
}

func TestControllerReactsOnlyToSuccessfulWrites(t *testing.T) {
	for _, test := range []struct {
		name, verb string
		status     int
		reacts     bool
	}{
		{"a write", "create", 201, true},
		{"a read", "get", 200, false},
		{"a write that failed", "create", 409, false},
		{"a write that was rejected", "create", 429, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := New(with(t, "- {name: a, user: a, requests: [{verb: "+test.verb+", resource: pods}], open: {bursts: {every: 1m, size: 1}}}\n"+
				"- {name: b, user: b, requests: [{verb: get, resource: pods}], controller: {reactsTo: [a]}}\n"))
			exchange(t, p, 1, func(Call) (time.Duration, Answer) { return time.Second, Answer{Status: test.status} })
			_, reacts := p.Next()
			assert.Equal(t, test.reacts, reacts)
		})
	}
}

func TestControllerGivesUpARejectedReaction(t *testing.T) {
	p := New(with(t, `
- {name: a, user: a, requests: [{verb: create, resource: pods}], open: {bursts: {every: 1m, size: 2}}}
- {name: b, user: b, requests: [{verb: get, resource: pods}, {verb: update, resource: pods}], controller: {reactsTo: [a], retries: {attempts: 1}}}
`))
	calls := exchange(t, p, 6, func(c Call) (time.Duration, Answer) {
		if c.Client == "a" {
			return 0, Answer{Status: 201}
		}
		return 0, Answer{429, time.Second}
	})
	assert.Equal(t, []string{"create", "create", "get", "get", "get", "get"}, verbs(calls), "each of two reactions is tried twice, and never comes to its update")
}
