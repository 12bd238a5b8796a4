package trackrecord

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

// Request is what a client sends.
type Request struct {
	User   string
	Groups []string
	// Method is GET by default.
	Method, Path string
	// Timeout is the deadline that the request states; 0: it states none.
	Timeout time.Duration
}

// flow returns a flow of this request.
func (r Request) flow(f traffic.Flow) traffic.Flow {
	path := r.Path
	if r.Timeout > 0 {
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		path += separator + "timeout=" + r.Timeout.String()
	}
	f.Users = []traffic.User{{Name: r.User, Groups: r.Groups}}
	f.Ask = func(int) traffic.Request { return traffic.Request{Method: r.Method, Path: path} }
	return f
}

// Tally has the answers to a flow.
type Tally struct {
	mu      sync.Mutex // guards answers
	answers measurement.Samples
}

func (t *Tally) add(answer measurement.Sample) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answers = append(t.answers, answer)
}

// All returns the answers until now.
func (t *Tally) All() measurement.Samples {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.answers
}

// Sent is the number of requests that were answered.
func (t *Tally) Sent() int { return len(t.All()) }

// Executed is the number of requests that executed.
func (t *Tally) Executed() int { return t.All().Served() }

// Slowest is the time of the slowest request that executed.
func (t *Tally) Slowest() time.Duration { return t.All().Quantile(1) }

// share is a part as text, such as 3 of 10.
func share(part, whole int) string { return fmt.Sprintf("%d of %d", part, whole) }

// Start starts the clients of a flow. Join waits for them.
func (s *Site) Start(ctx context.Context, flow traffic.Flow) *Tally {
	tally := &Tally{}
	s.Go(func() {
		_, _ = traffic.Load{Flows: []traffic.Flow{flow}, Seen: tally.add}.Run(ctx, s.target) // without a rate there is no error
	})
	return tally
}

// Send sends a request, and waits for the answer.
func (s *Site) Send(r Request) measurement.Sample {
	samples, _ := traffic.Load{Flows: []traffic.Flow{r.flow(traffic.Flow{Count: 1})}}.Run(s.T.Context(), s.target)
	return samples[0]
}

// Flood starts workers that each send a request, and the next one when it is answered, for
// a time. They obey Retry-After, as client-go does.
func (s *Site) Flood(workers int, d time.Duration, r Request) *Tally {
	return s.Start(s.T.Context(), r.flow(traffic.Flow{Threads: workers, For: d}))
}

// Every starts a client that sends a request at an interval, for a time, whether or not it
// has got an answer.
func (s *Site) Every(interval, d time.Duration, r Request) *Tally {
	return s.Start(s.T.Context(), r.flow(traffic.Flow{Every: interval, Count: int((d + interval - 1) / interval)}))
}

// Burst starts n clients that send a request at the same time.
func (s *Site) Burst(n int, r Request) *Tally {
	return s.Start(s.T.Context(), r.flow(traffic.Flow{Threads: n, Count: 1}))
}

// Hold starts n requests that last until their clients leave.
func (s *Site) Hold(n int, r Request) (leave func()) {
	ctx, cancel := context.WithCancel(s.T.Context())
	s.Start(ctx, r.flow(traffic.Flow{Threads: n, Count: 1}))
	s.Settle()
	return func() { cancel(); s.Settle() }
}

// Watch starts n watches of an administrator, which last until stop is called.
func (s *Site) Watch(n int, path string) (stop func()) {
	return s.Hold(n, Request{User: "admin", Groups: []string{user.SystemPrivilegedGroup}, Path: path, Timeout: 100 * time.Hour})
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
