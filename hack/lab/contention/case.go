package main

import (
	"context"
	"sync"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

const (
	elephantConnections = 200
	mice                = 20
	miceInterval        = time.Second
	// warmUp is how long only the elephant sends, while it opens its connections.
	warmUp  = 3 * time.Second
	runTime = 8 * time.Second

	elephantPath = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas?resourceVersion=0"
	mousePath    = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/catch-all?resourceVersion=0"
)

// contest is a server with or without an elephant.
type contest struct {
	key      string // in the names of results
	name     string
	program  func(context.Context) (string, error)
	args     []string
	elephant bool
}

func cases() []contest {
	off := []string{"--enable-priority-and-fairness=false"}
	return []contest{
		{key: "alone", name: "mice alone, pkg/apf", program: binaries.Release},
		{key: "apf", name: "elephant and mice, pkg/apf", program: binaries.Release, elephant: true},
		{key: "library", name: "elephant and mice, k8s.io/apiserver", program: binaries.Peer, elephant: true},
		{key: "off", name: "elephant and mice, flow control off", program: binaries.Release, args: off, elephant: true},
	}
}

// The units of the figures. Waiting and execution are means of the mice's
// requests from the server's metrics, which exist only with flow control.
const (
	p50, p99        = "p50-sec", "p99-sec"
	waiting         = "waiting-sec"
	execution       = "execution-sec"
	rejected        = "rejected"
	elephantsServed = measurement.PerSecond
)

// measure starts the server of the case, sends all users' requests and stops
// it.
func (c contest) measure(o *harness.Owner, s setting) measurement.Values {
	server, target := c.start(o, s)
	ctx, cancel := context.WithTimeout(o.Context(), warmUp+runTime)
	defer cancel()
	var group sync.WaitGroup
	tally := &traffic.Tally{}
	var elephant meal
	var err error
	if c.elephant {
		group.Go(func() { elephant, err = feed(o.Context(), server.Kubeconfig) })
	}
	for i := range mice {
		client := target.Client(traffic.NameOfMouse(i))
		defer client.Close()
		offset := warmUp + miceInterval*time.Duration(i)/mice
		group.Go(func() { traffic.Mouse(ctx, client, miceInterval, offset, mousePath, tally) })
	}
	group.Wait()
	o.Check(err)
	if elephant.Failed > 0 {
		o.Fatalf("%s: %d requests of the elephant got no answer, the last of them: %s", c.name, elephant.Failed, elephant.LastError)
	}
	if failed, err := tally.Failed(); failed > 0 {
		o.Fatalf("%s: %d requests of mice got no answer, the last of them: %v", c.name, failed, err)
	}
	got := measurement.Values{
		p50: tally.Quantile(0.50).Seconds(), p99: tally.Quantile(0.99).Seconds(), rejected: float64(tally.Rejected()),
	}
	if c.elephant {
		got[elephantsServed] = float64(elephant.Served) / (warmUp + runTime).Seconds()
	}
	if len(c.args) > 0 {
		return got
	}
	const prefix = "apiserver_flowcontrol_request_"
	metrics, err := scrape.Parse(server.Kubectl(o).Run(o, "get", "--raw", "/metrics"), prefix)
	o.Check(err)
	got[waiting] = metrics.Mean(prefix+"wait_duration_seconds", `flow_schema="mice"`).Seconds()
	got[execution] = metrics.Mean(prefix+"execution_seconds", `flow_schema="mice"`).Seconds()
	return got
}

func (c contest) start(o *harness.Owner, s setting) (*harness.Server, *traffic.Target) {
	program, err := c.program(o.Context())
	o.Check(err)
	args := append([]string{"--max-requests-inflight=40", "--max-mutating-requests-inflight=20"}, c.args...)
	if s.backend.Places > 0 {
		args = append(args, "--authorization-webhook-cache-authorized-ttl=0s") // each request calls the webhook
	}
	server, target := traffic.StartServer(o, harness.ServerOptions{Program: program, Args: args}, traffic.People("elephants", mice), s.backend)
	kubectl := server.Kubectl(o)
	kubectl.RunInput(o, s.objects(), "apply", "-f", "-")
	if len(c.args) == 0 {
		kubectl.Run(o, "wait", "--for=condition=Dangling=False", "flowschema/elephants", "flowschema/mice")
	}
	return server, target
}
