package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

const (
	// arrivalsFlag makes this program the elephant only, so that the important client does
	// not wait for the elephant's goroutines.
	arrivalsFlag = "arrivals"
	// patience is how long a client waits for an answer.
	patience = 2 * time.Second
	// mostWaiting bounds the requests without an answer; more are not sent.
	mostWaiting = 5000
)

// arrivals is the load of an elephant, whose requests do not wait for each other.
type arrivals struct {
	Kubeconfig, Path string
	Rate             float64 // requests a second
	// Settle is the time before Measure; its results do not count.
	Settle, Measure time.Duration
}

// outcome counts the requests that were sent while it was measured.
type outcome struct {
	Good     int // 200 in time
	Rejected int // 429 in time
	Late     int // no answer in time, or not sent since too many had none
	Failed   int // other answers and errors
	Last     string
}

// add adds another outcome.
func (o *outcome) add(other outcome) {
	o.Good += other.Good
	o.Rejected += other.Rejected
	o.Late += other.Late
	o.Failed += other.Failed
	o.Last = cmp.Or(other.Last, o.Last)
}

// counter is an outcome under way.
type counter struct {
	mu sync.Mutex // guards the outcome
	outcome
}

func (c *counter) add(answer traffic.Answer, err error, late bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case late:
		c.Late++
	case err != nil:
		c.Failed++
		c.Last = err.Error()
	case answer.Status == http.StatusOK:
		c.Good++
	case answer.Status == http.StatusTooManyRequests:
		c.Rejected++
	default:
		c.Failed++
		c.Last = http.StatusText(answer.Status)
	}
}

// arrive is the elephant. It writes the outcome to stdout as JSON.
func arrive(ctx context.Context, load string) error {
	var a arrivals
	if err := json.Unmarshal([]byte(load), &a); err != nil {
		return fmt.Errorf("--%s: %w", arrivalsFlag, err)
	}
	target, err := traffic.NewTarget(a.Kubeconfig)
	if err != nil {
		return err
	}
	// On shared connections: handshakes of requests that gave up, and not what the server does
	// with requests, would be what is measured.
	client := target.Multiplexed("elephant")
	defer client.Close()
	got := a.send(ctx, func(ctx context.Context) (traffic.Answer, error) { return client.Get(ctx, a.Path) })
	return json.NewEncoder(os.Stdout).Encode(got)
}

// send sends requests at random times (a Poisson process) and returns the outcome of the requests
// that were due during Measure.
func (a arrivals) send(ctx context.Context, get func(context.Context) (traffic.Answer, error)) outcome {
	random := rand.New(rand.NewPCG(1, 1))
	var results counter
	var group sync.WaitGroup
	waiting := make(chan struct{}, mostWaiting)
	timer := time.NewTimer(0)
	defer timer.Stop()
	begin := time.Now()
	for due := time.Duration(0); due < a.Settle+a.Measure; due += time.Duration(random.ExpFloat64() / a.Rate * float64(time.Second)) {
		if pause := due - time.Since(begin); pause > 0 {
			timer.Reset(pause)
			select {
			case <-ctx.Done():
				group.Wait()
				return results.outcome
			case <-timer.C:
			}
		}
		counts := due >= a.Settle
		select {
		case waiting <- struct{}{}:
		default:
			if counts {
				results.add(traffic.Answer{}, nil, true)
			}
			continue
		}
		group.Go(func() {
			defer func() { <-waiting }()
			requestContext, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			answer, err := get(requestContext)
			if counts && ctx.Err() == nil {
				results.add(answer, err, requestContext.Err() != nil)
			}
		})
	}
	group.Wait()
	return results.outcome
}

// process runs the elephant's process and returns its outcome.
func (a arrivals) process(ctx context.Context) (got outcome, err error) {
	program, err := os.Executable()
	if err != nil {
		return got, err
	}
	load, err := json.Marshal(a)
	if err != nil {
		return got, err
	}
	command := exec.CommandContext(ctx, program, "-"+arrivalsFlag, string(load))
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return got, fmt.Errorf("the elephant's process: %w", err)
	}
	return got, json.Unmarshal(output, &got)
}
