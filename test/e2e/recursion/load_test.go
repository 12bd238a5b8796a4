package recursion

import (
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/scrape"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// result is what became of a user's request.
type result struct {
	answer
	path string
	err  error
}

// saturate makes the requests of the users wait for reviews while they hold every
// seat, and returns what becomes of them. Those who are not answered when the server
// has been going on for so long leave. A user asks for objects that are not
// there: 404 says that he may ask for them, 401, 403 and 500 would say that it
// could not be found out. No two ask for the same, so that no review is spared by
// an earlier one. It calls held while all seats are held and the server does
// nothing, and resumed when the server goes on.
func (s *site) saturate(t *testing.T, phase string, patience time.Duration, held, resumed func()) []result {
	t.Helper()
	// From now on kube-apiserver has a connection to the server.
	warm, err := ask(t.Context(), s.Config(t), http.MethodGet, basePath, "")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, warm.code, warm.body)

	process := s.pod.Process()
	process.Pause(t)
	goOn := sync.OnceFunc(process.Resume)
	defer goOn()
	b := newBurst(t)
	for i, token := range s.users {
		for j := range each {
			b.send(as(s.aggregated(t), token), fmt.Sprintf("%s-%d-%d", phase, i, j))
		}
	}
	seats := s.awaitHeld(t, users*each)
	held()
	goOn()
	over := time.After(patience)
	for i, token := range s.users {
		b.send(as(s.direct, token), fmt.Sprintf("%s-%d", phase, i))
	}
	resumed()
	results := b.wait(over)
	logFigures(t, phase, seats, results)
	return results
}

// as adds a bearer token.
func as(config *rest.Config, token string) *rest.Config {
	config.BearerToken = token
	return config
}

// burst is the requests of users who leave all at once.
type burst struct {
	ctx     context.Context //nolint:containedctx // it is that of all its requests
	leave   context.CancelFunc
	all     sync.WaitGroup
	results chan result
}

func newBurst(t *testing.T) *burst {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	t.Cleanup(leave)
	return &burst{ctx: ctx, leave: leave, results: make(chan result, users*(each+1))}
}

// send asks for a flow schema and does not wait.
func (b *burst) send(config *rest.Config, name string) {
	b.all.Go(func() {
		path := basePath + "/flowschemas/" + name
		reply, err := ask(b.ctx, config, http.MethodGet, path, "")
		b.results <- result{reply, path, err}
	})
}

// wait waits for all results; users without one leave when the time is over.
func (b *burst) wait(over <-chan time.Time) []result {
	go func() {
		b.all.Wait()
		close(b.results)
	}()
	var results []result
	for {
		select {
		case r, more := <-b.results:
			if !more {
				return results
			}
			results = append(results, r)
		case <-over:
			b.leave()
		}
	}
}

func logFigures(t *testing.T, phase string, seats int, results []result) {
	t.Helper()
	answered, slowest := 0, time.Duration(0)
	for _, r := range results {
		slowest = max(slowest, r.after)
		if r.code == http.StatusNotFound {
			answered++
		}
	}
	t.Logf("%s: %d seats in kube-apiserver; %d of %d answered, the slowest ended after %v",
		phase, seats, answered, len(results), slowest.Round(time.Millisecond))
}

// awaitHeld waits until all the requests are in kube-apiserver and no seat of
// their level is left, and returns how many they hold.
func (s *site) awaitHeld(t *testing.T, requests int) int {
	t.Helper()
	var now load
	cluster.Eventually(t, "requests hold all seats", func(ctx context.Context) (err error) {
		now, err = loadOf(ctx, s.Config(t))
		if err == nil && (now.waiting == 0 || now.executing+now.waiting < requests) {
			err = fmt.Errorf("%+v", now)
		}
		return err
	})
	return now.executing
}

// load is what a level has to do at a moment: requests.
type load struct{ executing, waiting int }

// loadOf reads the load of the level of service accounts.
func loadOf(ctx context.Context, config *rest.Config) (load, error) {
	dump, err := ask(ctx, config, http.MethodGet, "/debug/api_priority_and_fairness/dump_priority_levels", "")
	if err != nil {
		return load{}, err
	}
	reader := csv.NewReader(strings.NewReader(dump.body))
	reader.TrimLeadingSpace = true
	reader.FieldsPerRecord = -1
	rows, err := reader.ReadAll()
	if err != nil {
		return load{}, err
	}
	for _, row := range rows {
		if row[0] == level {
			return readLoad(rows[0], row)
		}
	}
	return load{}, fmt.Errorf("no level %s in: %d %s", level, dump.code, dump.body)
}

func readLoad(header, row []string) (load, error) {
	var l load
	for i, name := range header {
		var err error
		switch name {
		case "ExecutingRequests":
			l.executing, err = strconv.Atoi(row[i])
		case "WaitingRequests":
			l.waiting, err = strconv.Atoi(row[i])
		}
		if err != nil {
			return load{}, err
		}
	}
	return l, nil
}

// waited is for how long requests of the level that were let in have waited in
// this server, in all.
func (s *site) waited(t *testing.T) time.Duration {
	t.Helper()
	metrics, err := ask(t.Context(), s.operator(t), http.MethodGet, "/metrics", "")
	require.NoError(t, err)
	const family = "apiserver_flowcontrol_request_wait_duration_seconds"
	values, err := scrape.Parse(metrics.body, family)
	require.NoError(t, err)
	seconds := values.Sum(family+"_sum", `priority_level="`+level+`"`, `execute="true"`)
	return time.Duration(seconds * float64(time.Second))
}
