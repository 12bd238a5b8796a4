package controlplane

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// tolerance is how far the clocks may be apart: certificates and tokens are made
// to be valid a little earlier than now, and forgive that much.
const tolerance = 30 * time.Second

// skew compares kube-apiserver's clock with ours, by the Date of its answers.
type skew struct {
	clock clock.PassiveClock

	mu    sync.Mutex // guards what follows
	ahead time.Duration
	doubt time.Duration // by how much ahead may be wrong
}

// wrap returns a transport that looks at the answers of another.
func (s *skew) wrap(next http.RoundTripper) http.RoundTripper {
	return observed{next: next, skew: s}
}

type observed struct {
	next http.RoundTripper
	skew *skew
}

var _ http.RoundTripper = observed{}

// RoundTrip implements http.RoundTripper.
func (o observed) RoundTrip(request *http.Request) (*http.Response, error) {
	begin := o.skew.clock.Now()
	response, err := o.next.RoundTrip(request)
	if err == nil {
		o.skew.observe(begin, o.skew.clock.Now(), response.Header.Get("Date"))
	}
	return response, err
}

// observe takes the Date of an answer, which has whole seconds, to a request that
// was sent and answered at these times of ours.
func (s *skew) observe(begin, end time.Time, date string) {
	theirs, err := http.ParseTime(date)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doubt = end.Sub(begin)/2 + time.Second
	s.ahead = theirs.Sub(begin.Add(end.Sub(begin) / 2))
}

// trouble says by how much the clocks differ, nil if it is little or unknown.
func (s *skew) trouble() *Trouble {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ahead.Abs() <= tolerance+s.doubt {
		return nil
	}
	direction := "behind"
	if s.ahead < 0 {
		direction = "ahead of"
	}
	return &Trouble{Text: fmt.Sprintf("our clock is %v %s that of kube-apiserver: set both right, since certificates and tokens begin and end by them",
		s.ahead.Abs().Round(10*time.Second), direction)}
}
