package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

const (
	mice = 6
	// pause is the mean time between an answer and a mouse's next request.
	pause = 100 * time.Millisecond
)

// errand is a request of a mouse that was served.
type errand struct {
	began time.Time
	took  time.Duration
}

// scurry sends the requests of a mouse, one after the other, until the time is over. It
// returns an error if one was not served.
func scurry(ctx context.Context, client *traffic.Client, path string, until time.Time) (errands []errand, err error) {
	for time.Now().Before(until) {
		began := time.Now()
		answer, err := client.Get(ctx, path)
		if err != nil {
			return errands, err
		}
		if answer.Status != http.StatusOK {
			return errands, fmt.Errorf("%s: status %d", path, answer.Status)
		}
		errands = append(errands, errand{began, time.Since(began)})
		select {
		case <-time.After(rand.N(2 * pause)):
		case <-ctx.Done():
		}
	}
	return errands, nil
}

// scurryAll sends the requests of all mice for a while. Each mouse waits for its last answer,
// so a request that outlasts the run counts.
func (l *site) scurryAll(ctx context.Context, lasts time.Duration) (errands []errand, err error) {
	until := time.Now().Add(lasts)
	var mu sync.Mutex // guards errands and err
	var group sync.WaitGroup
	for _, token := range l.mice {
		client := l.target.Client(token)
		defer client.Close()
		group.Go(func() {
			mine, failure := scurry(ctx, client, l.server.mouse, until)
			mu.Lock()
			defer mu.Unlock()
			errands, err = append(errands, mine...), errors.Join(err, failure)
		})
	}
	group.Wait()
	return errands, err
}

// quantile takes the requests that were under way in the time, and returns the seconds that the
// share q of them does not exceed.
func quantile(errands []errand, q float64, from, to time.Time) (seconds float64, count int) {
	var took []time.Duration
	for _, e := range errands {
		if e.began.Add(e.took).After(from) && e.began.Before(to) {
			took = append(took, e.took)
		}
	}
	if len(took) == 0 {
		return 0, 0
	}
	return measurement.Quantile(took, q).Seconds(), len(took)
}
