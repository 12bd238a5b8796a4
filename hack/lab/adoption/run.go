package main

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// The units of the figures. ready is the time from the start of the process to /readyz.
const (
	p50, p99 = "p50-sec", "p99-sec"
	p99Early = "early-p99-sec" // before the limits follow the load
	requests = "requests"
	ready    = "ready-sec"
	rejected = "rejected"
	served   = measurement.PerSecond
)

// running is a server's process.
type running struct {
	*harness.Process
	l *site
}

// start starts a program.
func (l *site) start(o *harness.Owner, path string, args ...string) running {
	common := []string{
		"--secure-port=" + strconv.Itoa(l.port), "--bind-address=127.0.0.1", "--cert-dir=" + l.dir,
		"--authentication-kubeconfig=" + l.kubeconfig, "--authorization-kubeconfig=" + l.kubeconfig,
	}
	return running{harness.StartProcess(o, harness.Command{Path: path, Args: slices.Concat(common, l.args, args)}), l}
}

// isReady asks the server itself.
func (r running) isReady(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	reply, err := r.l.send(ctx, http.MethodGet, "/readyz", "")
	return err == nil && reply.Code == http.StatusOK
}

// awaitReady returns the time from the start of the process until the server is ready, or
// false if it is not ready in time, or ends.
func (r running) awaitReady(ctx context.Context, within time.Duration) (time.Duration, bool) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for !r.isReady(ctx) {
		select {
		case <-ctx.Done():
			return 0, false
		case <-r.Done():
			return 0, false
		case <-poll.C:
		}
	}
	return time.Since(r.Started), true
}

// awaitServed waits until kube-apiserver serves the mice's path.
func (l *site) awaitServed(o *harness.Owner, path string) {
	l.nudge()
	var last time.Time
	failures := eventually.Within(o.Context(), func(a *eventually.Attempt) {
		if time.Since(last) > time.Second {
			last = time.Now()
			l.nudge()
		}
		status, _, _, err := l.target.Do(a.Context(), traffic.User{Token: l.mice[0]}, traffic.Request{Path: path})
		require.NoError(a, err)
		require.Equal(a, http.StatusOK, status, path)
	})
	if failures != "" {
		o.Fatalf("%s is not served: %s", path, failures)
	}
}

// contest is the mice's requests beside an elephant, or alone.
func (l *site) contest(o *harness.Owner, elephant bool) measurement.Values {
	l.backend.on.Store(true)
	defer l.backend.on.Store(false)
	lasts, settled := runTime, time.Duration(0)
	var group sync.WaitGroup
	var eaten meal
	var err error
	if elephant {
		lasts, settled = early+runTime, early
		group.Go(func() {
			eaten, err = feed(o.Context(), l.kubeAPIServer.Kubeconfig, l.elephant, l.server.elephant)
		})
	}
	small, failure := l.ask(o.Context(), lasts)
	group.Wait()
	o.Check(errors.Join(failure, err))
	late := small.Between(settled, lasts)
	values := measurement.Values{
		p99: late.Quantile(0.99).Seconds(), p50: late.Quantile(0.50).Seconds(), requests: float64(len(late)),
	}
	if elephant {
		values[p99Early] = small.Between(time.Second, settled).Quantile(0.99).Seconds()
		values[served], values[rejected] = float64(eaten.Served)/(early+runTime).Seconds(), float64(eaten.Rejected)
	}
	return values
}

func (l *site) apply(objects string) {
	failures := eventually.Within(l.o.Context(), func(a *eventually.Attempt) {
		result := l.kubeAPIServer.Kubectl(l.o).Try(l.o, objects, "apply", "--validate=false", "-f", "-")
		require.Zero(a, result.ExitCode, "%+v", result)
	})
	if failures != "" {
		l.o.Fatalf("applying %s: %s", objects, failures)
	}
}
