package kubeapiserver

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// skewTolerance is how far the clocks may differ. Certificates and tokens are
// backdated and tolerate that much.
const skewTolerance = 30 * time.Second

// clockSkew compares kube-apiserver's clock with this server's, by the Date header
// of its answers.
type clockSkew struct {
	clock clock.PassiveClock

	mu          sync.Mutex    // guards what follows
	ahead       time.Duration // of kube-apiserver; negative if it is behind
	uncertainty time.Duration // of ahead, in both directions
}

// wrap returns a transport that observes the answers of next.
func (s *clockSkew) wrap(next http.RoundTripper) http.RoundTripper {
	return observedTransport{next: next, skew: s}
}

type observedTransport struct {
	next http.RoundTripper
	skew *clockSkew
}

var _ http.RoundTripper = observedTransport{}

// RoundTrip implements http.RoundTripper.
func (o observedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	begin := o.skew.clock.Now()
	response, err := o.next.RoundTrip(request)
	if err == nil {
		o.skew.observe(begin, o.skew.clock.Now(), response.Header.Get("Date"))
	}
	return response, err
}

// observe takes the Date of an answer, in whole seconds, to a request that was
// sent at begin and answered at end by this server's clock.
func (s *clockSkew) observe(begin, end time.Time, date string) {
	answered, err := http.ParseTime(date)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uncertainty = end.Sub(begin)/2 + time.Second
	s.ahead = answered.Sub(begin.Add(end.Sub(begin) / 2))
}

// check returns by how much the clocks differ, nil if it is little or unknown.
func (s *clockSkew) check() *failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ahead.Abs() <= skewTolerance+s.uncertainty {
		return nil
	}
	direction := "behind"
	if s.ahead < 0 {
		direction = "ahead of"
	}
	return &failure{message: fmt.Sprintf("this server's clock is %v %s kube-apiserver's clock: synchronize both, since they decide whether certificates and tokens are valid",
		s.ahead.Abs().Round(10*time.Second), direction)}
}
