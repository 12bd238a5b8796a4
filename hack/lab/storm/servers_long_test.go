//go:build long

package storm

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestStormOnServers storms kube-apiserver and this project's server with 40 greedy users beside
// 200 steady ones. The users ask a backend, so the machine's processors are not the bottleneck.
func TestStormOnServers(t *testing.T) {
	crowd := traffic.Crowd{
		Greedy: 40, Connections: 20, Mice: 200, Pace: 5 * time.Second,
		Seats: 30, Takes: 500 * time.Millisecond, QueueLength: 10,
	}
	text := fmt.Sprintf(`## A storm on real servers

Written by `+"`make storms`"+`: a level of %d seats, 64 queues of %d and hands of 6. Each request asks a
backend that serves as many at once, for %v. %d steady users send a request every 5 s: 30 s alone,
60 s beside %d greedy users with %d connections each that obey Retry-After, and 30 s alone.

| server | steady requests served | their p99 before, during, after | steady 429 | greedy served | greedy 429 |
|---|---:|---:|---:|---:|---:|
`, crowd.Seats, crowd.QueueLength, crowd.Takes, crowd.Mice, crowd.Greedy, crowd.Connections)
	for _, name := range []string{"kube-apiserver 1.33", "this server"} {
		require.NoError(t, harness.Own(t.Context(), func(o *harness.Owner) {
			var kubectl *harness.Kubectl
			var target *traffic.Target
			if name == "this server" {
				server, at := traffic.StartServer(o, harness.ServerOptions{Args: crowd.Args()}, crowd.People(), crowd.Backend())
				kubectl, target = server.Kubectl(o), at
			} else {
				server, at := traffic.StartKubeAPIServer(o, crowd.Args(), crowd.People(), crowd.Backend())
				kubectl, target = server.Kubectl(o), at
			}
			kubectl.RunInput(o, crowd.Objects(traffic.Everybody), "apply", "-f", "-")
			kubectl.Run(o, "wait", "--for=condition=Dangling=False", "flowschema/"+traffic.Everybody)
			row := rowOf(t, crowd, name, target)
			t.Log(row)
			text += row
		}))
	}
	if *update {
		require.NoError(t, measurement.Publish("make storms", "storm-servers", filepath.Join("docs", "evidence", "benchmarks.md"), text))
	}
}

// rowOf returns the row of a server.
func rowOf(t *testing.T, crowd traffic.Crowd, name string, target *traffic.Target) string {
	alone := crowd
	alone.Greedy = 0
	var steady [3]measurement.Samples
	var greedy measurement.Samples
	for i, phase := range []struct {
		crowd traffic.Crowd
		lasts time.Duration
	}{{alone, 30 * time.Second}, {crowd, time.Minute}, {alone, 30 * time.Second}} {
		samples, err := phase.crowd.Load(phase.lasts).Run(t.Context(), target)
		require.NoError(t, err)
		steady[i], greedy = samples.Of(traffic.Mice), append(greedy, samples.Of(traffic.Greedy)...)
	}
	during := steady[1]
	p99 := func(i int) time.Duration { return steady[i].Quantile(0.99).Round(time.Millisecond) }
	return fmt.Sprintf("| %s | %.1f %% | %v, %v, %v | %d | %d | %d |\n", name,
		100*float64(during.Served())/float64(len(during)), p99(0), p99(1), p99(2),
		during.Rejected(), greedy.Served(), greedy.Rejected())
}
