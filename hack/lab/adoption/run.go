package main

import (
	"context"
	"net/http"
	"slices"
	"strconv"
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

// The traffic of a case.
const (
	mice, elephantConnections = 6, 100
	// pace is the time between two requests of a mouse.
	pace = 150 * time.Millisecond
	// early is the time until limits have followed the load, which both engines do every ten
	// seconds, and runTime the time after it.
	early, runTime = 11 * time.Second, 6 * time.Second
)

// contest sends the mice's requests while an elephant sends all that it can, or alone. It fails if one of the mice is
// not served.
func (l *site) contest(o *harness.Owner, elephant bool) measurement.Values {
	l.backend.on.Store(true)
	defer l.backend.on.Store(false)
	lasts, settled := runTime, time.Duration(0)
	if elephant {
		lasts, settled = early+runTime, early
	}
	load := traffic.Load{Flows: []traffic.Flow{{
		Name: "mice", Users: traffic.Tokened(mice, func(i int) string { return l.mice[i] }), Every: pace,
		Ask: traffic.Get(l.server.mouse), For: lasts, Patience: traffic.Timeout,
	}}}
	if elephant {
		load.Flows = append(load.Flows, traffic.Flow{
			Name: "elephant", Users: []traffic.User{{Token: l.elephant}}, Threads: elephantConnections,
			Ask: traffic.Get(l.server.elephant), For: lasts, Patience: traffic.Timeout,
		})
	}
	samples, err := load.Run(o.Context(), l.target)
	o.Check(err)
	small, large := samples.Of("mice"), samples.Of("elephant")
	if small.Served() < len(small) {
		_, last := small.Failed()
		o.Fatalf("%s: %d of %d requests of mice were not served: %v", l.server.mouse, len(small)-small.Served(), len(small), last)
	}
	for _, sample := range large {
		if sample.Served() && sample.Status != http.StatusOK {
			o.Fatalf("%s: status %d", l.server.elephant, sample.Status)
		}
	}
	late := small.Between(settled, lasts)
	values := measurement.Values{
		p99: late.Quantile(0.99).Seconds(), p50: late.Quantile(0.50).Seconds(), requests: float64(len(late)),
	}
	if elephant {
		values[p99Early] = small.Between(time.Second, settled).Quantile(0.99).Seconds()
		values[served], values[rejected] = float64(large.Served())/lasts.Seconds(), float64(large.Rejected())
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
