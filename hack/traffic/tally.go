package traffic

import (
	"net/http"
	"sync"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/measurement"
)

// Tally counts what the requests of some users met. It is safe for concurrent
// use.
type Tally struct {
	mu        sync.Mutex // guards all below
	served    []time.Duration
	refused   int
	failed    int
	lastError error
}

// note counts one request.
func (t *Tally) note(took time.Duration, status int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err != nil:
		t.failed++
		t.lastError = err
	case status == http.StatusTooManyRequests:
		t.refused++
	default:
		t.served = append(t.served, took)
	}
}

// Served is the number of requests that got an answer other than 429.
func (t *Tally) Served() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.served)
}

// Refused is the number of requests that got 429 Too Many Requests.
func (t *Tally) Refused() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refused
}

// Failed is the number of requests that got no answer, and why the last of them
// did not.
func (t *Tally) Failed() (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed, t.lastError
}

// Quantile is the time within which the share q, from 0 to 1, of the served
// requests had their answer, and 0 if none was served.
func (t *Tally) Quantile(q float64) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.served) == 0 {
		return 0
	}
	return measurement.Quantile(t.served, q)
}
