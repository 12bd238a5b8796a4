package kubeapiserver

import (
	"fmt"
	"net/http"
	"time"

	"k8s.io/utils/clock"
)

// skewTolerance is how far the clocks may differ. Certificates and tokens are
// backdated and tolerate that much.
const skewTolerance = 30 * time.Second

// clockSkew compares kube-apiserver's clock with this server's, by the Date header
// of its answers. Rounds of checks run in one goroutine.
type clockSkew struct {
	clock clock.PassiveClock

	ahead       time.Duration // of kube-apiserver; negative if it is behind
	uncertainty time.Duration // of ahead, in both directions
}

// wrap returns a transport that observes the answers of next.
func (s *clockSkew) wrap(next http.RoundTripper) http.RoundTripper {
	return observedTransport{next, s}
}

type observedTransport struct {
	http.RoundTripper
	skew *clockSkew
}

// RoundTrip implements http.RoundTripper. The Date of an answer is in whole seconds.
func (o observedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	begin := o.skew.clock.Now()
	response, err := o.RoundTripper.RoundTrip(request)
	if err != nil {
		return response, err
	}
	if answered, invalid := http.ParseTime(response.Header.Get("Date")); invalid == nil {
		half := o.skew.clock.Since(begin) / 2
		o.skew.uncertainty, o.skew.ahead = half+time.Second, answered.Sub(begin.Add(half))
	}
	return response, nil
}

// check returns by how much the clocks differ, nil if it is little or unknown.
func (s *clockSkew) check() *failure {
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
