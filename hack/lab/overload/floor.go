package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// floorFlag makes this program a server that does nothing but answer. What its clients see
// while other goroutines of it compute is the least that clients of any server in Go see.
const floorFlag = "floor"

// floor is the server of floorFlag.
type floor struct {
	Port      int
	Computing int // goroutines that compute without a pause
}

// serve answers until ctx ends.
func serve(ctx context.Context, options string) error {
	var f floor
	if err := json.Unmarshal([]byte(options), &f); err != nil {
		return fmt.Errorf("--%s: %w", floorFlag, err)
	}
	for range f.Computing {
		go func() {
			for ctx.Err() == nil {
			}
		}()
	}
	server := &http.Server{Addr: address(f.Port), ReadHeaderTimeout: patience, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func address(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// floors returns the section about these servers.
func floors(o *harness.Owner, s settings) string {
	var text strings.Builder
	fmt.Fprintf(&text, `## A program that only answers

Written by `+"`make overload`"+`: an HTTP server in Go that does nothing, with one processor
(GOMAXPROCS=1), while goroutines of the same program compute without a pause. A client gets
something every %v; %d rounds of %v. A goroutine computes for 10 ms before Go's scheduler takes the
processor from it, and while all processors compute, Go looks for messages from the network every
10 ms. Without TLS, flow control and etcd, this is what processors that are short cost at least.

`, mousePace, s.rounds, s.load)
	header := measurement.Row{"goroutines that compute", "p50", "p99"}
	text.WriteString(header.String() + header.Rule())
	computing := []int{0, 1, 2, 4}
	took := make([][]time.Duration, len(computing))
	for round := range s.rounds {
		for i := range computing {
			at := (i + round) % len(computing)
			o.Within(func(o *harness.Owner) { took[at] = append(took[at], ask(o, computing[at], s.load)...) })
		}
	}
	for i, durations := range took {
		quantile := func(q float64) string { return duration(measurement.Quantile(durations, q).Seconds()).String() }
		text.WriteString(measurement.Row{fmt.Sprint(computing[i]), quantile(0.5), quantile(0.99)}.String())
	}
	return text.String()
}

// ask starts a server and returns how long its answers took.
func ask(o *harness.Owner, computing int, length time.Duration) (took []time.Duration) {
	program, err := os.Executable()
	o.Check(err)
	f := floor{Port: harness.FreePorts(o, 1)[0], Computing: computing}
	options, err := json.Marshal(f)
	o.Check(err)
	harness.StartProcess(o, harness.Command{Path: program, Args: []string{"-" + floorFlag, string(options)}, Env: []string{"GOMAXPROCS=1"}})
	client, url := &http.Client{Timeout: patience}, "http://"+address(f.Port)
	defer client.CloseIdleConnections()
	get := func(ctx context.Context) error {
		_, err := harness.Send(ctx, client, http.MethodGet, url, "")
		return err
	}
	if failures := eventually.Within(o.Context(), func(a *eventually.Attempt) { require.NoError(a, get(a.Context())) }); failures != "" {
		o.Fatalf("no answer from %s: %s", url, failures)
	}
	ctx, cancel := context.WithTimeout(o.Context(), length)
	defer cancel()
	for ticker := time.Tick(mousePace); ; {
		select {
		case <-ctx.Done():
			return took
		case <-ticker:
		}
		begin := time.Now()
		o.Check(get(o.Context()))
		took = append(took, time.Since(begin))
	}
}
