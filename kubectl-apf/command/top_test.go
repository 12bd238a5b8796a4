package command

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

func TestTopReadsTwiceForRates(t *testing.T) {
	server := newAPIServer(t)
	once := server.run(t, "top", "--interval=0")
	require.Zero(t, once.status, once.errOut)
	assert.Contains(t, once.out, "workload-low      3    245      245        1    2.0s           -\n")

	out, stop := server.start(t, "top", "--interval=5s")
	out.clock.Step(5 * time.Second)
	assert.Zero(t, <-out.ended)
	stop()
	assert.Contains(t, out.String(), "workload-low      3    245      245        1    7.0s         0.4\n", "2 more in 5 seconds")
}

// A terminal has the answer at once; the second reading replaces it.
func TestTopAnswersATerminalAtOnce(t *testing.T) {
	server := newAPIServer(t)
	server.width = 200
	out, stop := server.start(t, "top", "--interval=5s")
	first := out.String()
	assert.Contains(t, first, "workload-low      3    245      245        1    2.0s           -\n")
	out.clock.Step(5 * time.Second)
	assert.Zero(t, <-out.ended)
	stop()
	second, found := strings.CutPrefix(out.String(), first+fmt.Sprintf(replaceLines, strings.Count(first, "\n")))
	assert.True(t, found, out.String())
	assert.Contains(t, second, "workload-low      3    245      245        1    7.0s         0.4\n")
}

// running is a program that runs.
type running struct {
	clock *clocktesting.FakeClock
	ended chan int

	mu  sync.Mutex // guards out
	out bytes.Buffer
}

// start starts the program, whose second reading of the metrics shows two more
// rejections. It returns when the program waits for the time of the next reading.
func (s *apiServer) start(t *testing.T, args ...string) (*running, context.CancelFunc) {
	t.Helper()
	r := &running{clock: clocktesting.NewFakeClock(now), ended: make(chan int, 1)}
	env := environment(&bytes.Buffer{}, &bytes.Buffer{})
	env.Out, env.ErrOut, env.Clock, env.Width = r, r, r.clock, func() int { return s.width }
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		r.ended <- Run(ctx, env, append(append([]string{"kubectl-apf"}, args...), "--kubeconfig="+s.kubeconfig))
	}()
	r.await(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.responses["/metrics"] = metrics(245, 9)
	return r, stop
}

func (r *running) Write(text []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.Write(text)
}

func (r *running) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.String()
}

// await waits until the program waits for time to pass.
func (r *running) await(t *testing.T) {
	t.Helper()
	eventually.Holds(t, "the program waits for the next reading", func(a *eventually.Attempt) {
		require.True(a, r.clock.HasWaiters(), r.String())
	})
}

func TestWatchWritesAgainUntilItIsInterrupted(t *testing.T) {
	server := newAPIServer(t)
	out, stop := server.start(t, "top", "--watch", "--interval=4s")
	assert.Equal(t, 1, strings.Count(out.String(), "LEVEL "))
	out.clock.Step(4 * time.Second)
	out.await(t)
	assert.Equal(t, 2, strings.Count(out.String(), "LEVEL "))
	assert.Contains(t, out.String(), "0.5\n", "the rate since the first reading")
	assert.NotContains(t, out.String(), "\x1b", "the output is no terminal")
	stop()
	assert.Zero(t, <-out.ended, "Ctrl-C is no error")
	assert.NotContains(t, out.String(), "error")
}

func TestWatchRedrawsATerminal(t *testing.T) {
	view := &topCommand{view: topViews()[0], watch: true}
	var out bytes.Buffer
	view.env = environment(&out, &out).withPrintableOutput()
	view.env.Width = func() int { return 60 }
	require.NoError(t, view.show(nil, nil))
	assert.True(t, strings.HasPrefix(out.String(), clearTerminal+"LEVEL "), out.String())
	view.watch = false
	out.Reset()
	require.NoError(t, view.show(nil, nil))
	assert.NotContains(t, out.String(), "\x1b")
}
