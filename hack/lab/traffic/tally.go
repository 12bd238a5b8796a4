package traffic

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// Tally counts the results of some users' requests. It is safe for concurrent
// use.
type Tally struct {
	mu        sync.Mutex // guards the fields below
	served    []time.Duration
	rejected  int
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
		t.rejected++
	case status >= http.StatusInternalServerError:
		t.failed++
		t.lastError = fmt.Errorf("status %d", status)
	default:
		t.served = append(t.served, took)
	}
}

// Served is the number of requests that got an answer other than 429 and 5xx.
func (t *Tally) Served() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.served)
}

// Rejected is the number of requests that got 429 Too Many Requests.
func (t *Tally) Rejected() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rejected
}

// Failed returns the number of requests without an answer or with 5xx, and the error of the
// last one.
func (t *Tally) Failed() (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed, t.lastError
}

// Quantile returns the latency that the share q, from 0 to 1, of the served
// requests does not exceed, or 0 if none was served.
func (t *Tally) Quantile(q float64) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.served) == 0 {
		return 0
	}
	return measurement.Quantile(t.served, q)
}
