package behind

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

const (
	// pace is the interval between two requests of one user.
	pace = 20 * time.Millisecond
	// several is the number of requests of each user that must succeed after a step.
	several = 5
)

// asker repeats one kind of request.
type asker struct {
	name   string
	method string
	url    string
	token  string
	code   int // of a successful answer
	client *http.Client

	mu       sync.Mutex // guards the fields below
	count    int
	failures []string
	// rejection, if not empty, is the text of errors of requests that were never
	// processed. rejected counts these errors; they are not failures.
	rejection string
	rejected  int
}

func (u *asker) run(ctx context.Context) {
	ticker := time.NewTicker(pace)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), eventually.Grace)
		err := u.ask(limited)
		cancel()
		u.mu.Lock()
		u.count++
		switch {
		case err == nil:
		case u.rejection != "" && strings.Contains(err.Error(), u.rejection):
			u.rejected++
		case len(u.failures) < 10:
			u.failures = append(u.failures, fmt.Sprintf("request %d: %v", u.count, err))
		}
		u.mu.Unlock()
	}
}

// ask sends one request.
func (u *asker) ask(ctx context.Context) error {
	url, body := u.url, ""
	if u.method == http.MethodPost {
		url, body = url+"?dryRun=All", flowSchema("dry", 9000)
	}
	reply, err := harness.Send(ctx, u.client, u.method, url, body, "Authorization: Bearer "+u.token)
	if err == nil && reply.Code != u.code {
		err = fmt.Errorf("answered %d: %.300s", reply.Code, reply.Body)
	}
	return err
}

// allow accepts errors with this text from now on.
func (u *asker) allow(rejection string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.rejection = rejection
}

// load is the set of users that send requests while a test runs.
type load struct {
	users []*asker
	// relayed are the writes through the aggregator.
	relayed *asker
}

// underLoad runs a test while users of all kinds send requests. Every request must
// succeed.
func (s *besideSite) underLoad(test func(*testing.T, *besideSite, *load)) func(*testing.T) {
	return func(t *testing.T) {
		token := s.Config(t).BearerToken
		kube, service := s.KubeAPIServer.URL+objectsPath, "https://"+cluster.ServerName+objectsPath
		l := &load{}
		l.relayed = &asker{name: "writes through the aggregator", method: http.MethodPost, url: kube, token: token, code: http.StatusCreated, client: s.relayed(t)}
		l.users = append(l.users, l.relayed,
			&asker{name: "reads through the aggregator", method: http.MethodGet, url: kube, token: token, code: http.StatusOK, client: s.relayed(t)},
			&asker{name: "reads past it by token", method: http.MethodGet, url: service, token: token, code: http.StatusOK, client: s.past(t)},
			&asker{name: "writes past it by token", method: http.MethodPost, url: service, token: token, code: http.StatusCreated, client: s.past(t)},
		)
		ctx, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for _, user := range l.users {
			wg.Go(func() { user.run(ctx) })
		}
		defer func() {
			stop()
			wg.Wait()
			for _, user := range l.users {
				require.Empty(t, user.failures, "%s, %d requests", user.name, user.count)
				require.LessOrEqual(t, user.rejected, replicas, "%s: one for each connection that is closed", user.name)
				t.Logf("%s: %d requests, none failed, %d were rejected", user.name, user.count, user.rejected)
			}
		}()
		l.goOn(t)
		test(t, s, l)
		l.goOn(t)
	}
}

// goOn waits until every user has sent several more requests.
func (l *load) goOn(t *testing.T) {
	t.Helper()
	for _, user := range l.users {
		before := user.requests()
		eventually.Holds(t, user.name+" asks on", func(a *eventually.Attempt) {
			require.GreaterOrEqual(a, user.requests(), before+several)
		})
	}
}

func (u *asker) requests() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.count
}
