package trackrecord

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
)

var updateOptions = metav1.UpdateOptions{}

// Request is what a client sends.
type Request struct {
	User   string
	Groups []string
	// Method is GET by default.
	Method, Path string
	// Timeout is the deadline of the request; one minute by default.
	Timeout time.Duration
	// Cancelled ends the request early, as a client that leaves.
	Cancelled <-chan struct{}
}

// Answer is how the server answers.
type Answer struct {
	// Status is 0 if the handler panicked.
	Status int
	// Took is the time until the answer.
	Took   time.Duration
	Header http.Header
}

// RetryAfter is when the client may repeat a rejected request; 0 if it was not rejected.
func (a Answer) RetryAfter() time.Duration {
	seconds, err := strconv.Atoi(a.Header.Get("Retry-After"))
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// OK reports whether the request executed.
func (a Answer) OK() bool { return a.Status == http.StatusOK }

var infoFactory = &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}

// Send sends a request, and waits for the answer.
func (s *Site) Send(r Request) Answer {
	start := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(r.Timeout, s.setup.RequestTimeout, requestTimeout))
	defer cancel()
	stop := cancelWith(ctx, cancel, r.Cancelled)
	defer stop()
	w := &response{header: http.Header{}}
	if s.serveRequest(w, s.httpRequest(ctx, r)) {
		return Answer{Took: time.Since(start)}
	}
	return Answer{Status: cmp.Or(w.status, http.StatusOK), Took: time.Since(start), Header: w.header}
}

// response is a response whose body nobody needs.
type response struct {
	header http.Header
	status int
}

var _ http.ResponseWriter = (*response)(nil)

// Header implements http.ResponseWriter.
func (r *response) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *response) WriteHeader(status int) { r.status = cmp.Or(r.status, status) }

// Write implements http.ResponseWriter.
func (r *response) Write(body []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return len(body), nil
}

// cancelWith cancels once the client leaves.
func cancelWith(ctx context.Context, cancel func(), left <-chan struct{}) (stop func()) {
	if left == nil {
		return func() {}
	}
	var waiting sync.WaitGroup
	waiting.Go(func() {
		select {
		case <-left:
			cancel()
		case <-ctx.Done():
		}
	})
	return func() {
		cancel()
		waiting.Wait()
	}
}

// serveRequest reports whether the handler panicked, as the outermost filter of a server.
func (s *Site) serveRequest(w http.ResponseWriter, r *http.Request) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	s.chain.ServeHTTP(w, r)
	return false
}

func (s *Site) httpRequest(ctx context.Context, r Request) *http.Request {
	method := r.Method
	if method == "" {
		method = http.MethodGet
	}
	out := httptest.NewRequestWithContext(ctx, method, r.Path, nil)
	out.Header.Set("User-Agent", r.User)
	info, err := infoFactory.NewRequestInfo(out)
	require.NoError(s.T, err)
	who := &user.DefaultInfo{Name: r.User, Groups: append(slices.Clone(r.Groups), user.AllAuthenticated)}
	ctx = request.WithRequestInfo(request.WithUser(out.Context(), who), info)
	return out.WithContext(request.WithReceivedTimestamp(ctx, time.Now()))
}

// Tally counts the answers to one crowd.
type Tally struct {
	mu      sync.Mutex // guards what follows
	answers []Answer
}

func (t *Tally) add(a Answer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answers = append(t.answers, a)
}

// Sent is the number of requests.
func (t *Tally) Sent() int { return len(t.answers) }

// Count is the number of answers with a status.
func (t *Tally) Count(status int) (count int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.answers {
		if a.Status == status {
			count++
		}
	}
	return count
}

// Executed and Rejected are numbers of requests.
func (t *Tally) Executed() int { return t.Count(http.StatusOK) }

// Rejected is the number of answers 429.
func (t *Tally) Rejected() int { return t.Count(http.StatusTooManyRequests) }

// LongestRetry is the longest Retry-After.
func (t *Tally) LongestRetry() (longest time.Duration) {
	for _, a := range t.answers {
		longest = max(longest, a.RetryAfter())
	}
	return longest
}

// Slowest is the time of the slowest request that executed.
func (t *Tally) Slowest() (slowest time.Duration) {
	for _, a := range t.answers {
		if a.OK() {
			slowest = max(slowest, a.Took)
		}
	}
	return slowest
}

// share is a part as text, such as 3 of 10.
func share(part, whole int) string { return fmt.Sprintf("%d of %d", part, whole) }

// Flood starts workers that each send a request, and the next one when it is answered, for
// a time. They obey Retry-After, as client-go does.
func (s *Site) Flood(workers int, d time.Duration, r Request) *Tally {
	tally := &Tally{}
	end := time.Now().Add(d)
	for range workers {
		s.Go(func() {
			for time.Now().Before(end) {
				a := s.Send(r)
				tally.add(a)
				<-time.After(max(a.RetryAfter(), time.Millisecond)) // a client is not infinitely fast
			}
		})
	}
	return tally
}

// Every starts a client that sends a request at an interval, for a time, whether or not it
// has got an answer.
func (s *Site) Every(interval, d time.Duration, r Request) *Tally {
	tally := &Tally{}
	s.Go(func() {
		var sent sync.WaitGroup
		for end := time.Now().Add(d); time.Now().Before(end); <-time.After(interval) {
			sent.Go(func() { tally.add(s.Send(r)) })
		}
		sent.Wait()
	})
	return tally
}

// Burst sends n requests at the same time and waits for all answers.
func (s *Site) Burst(n int, r Request) *Tally {
	tally := &Tally{}
	var sent sync.WaitGroup
	for range n {
		sent.Go(func() { tally.add(s.Send(r)) })
	}
	sent.Wait()
	return tally
}

// takes returns a handler of requests that execute for a time, and no longer than their
// deadline.
func takes(d time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(d):
			w.WriteHeader(http.StatusOK)
		case <-r.Context().Done():
			w.WriteHeader(http.StatusGatewayTimeout)
		}
	}
}

// Watch starts n watches of an administrator, which last until stop is called.
func (s *Site) Watch(n int, r Request) (stop func()) {
	left := make(chan struct{})
	r.Groups = []string{user.SystemPrivilegedGroup}
	r.Cancelled, r.Timeout = left, 100*time.Hour
	var watching sync.WaitGroup
	for range n {
		watching.Go(func() { s.Send(r) })
	}
	s.Settle()
	return func() {
		close(left)
		watching.Wait()
	}
}
