package main

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/scrape"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	elephantConnections = 200
	mice                = 20
	miceInterval        = time.Second
	// warmUp is the elephant's alone, who opens its connections in it.
	warmUp  = 3 * time.Second
	runTime = 8 * time.Second

	elephantPath = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas?resourceVersion=0"
	mousePath    = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/catch-all?resourceVersion=0"
)

// contest is a server with or without an elephant.
type contest struct {
	name     string
	program  func(context.Context) (string, error)
	args     []string
	elephant bool
}

// result is what one round gave to whom.
type result struct {
	elephant meal
	mice     *traffic.Tally
	// waited and executed are means of the mice's requests, by the server's
	// metrics; 0 with flow control off.
	waited, executed time.Duration
}

func cases() []contest {
	off := []string{"--enable-priority-and-fairness=false"}
	return []contest{
		{name: "mice alone, pkg/apf", program: binaries.Release},
		{name: "elephant and mice, pkg/apf", program: binaries.Release, elephant: true},
		{name: "elephant and mice, k8s.io/apiserver", program: binaries.Peer, elephant: true},
		{name: "elephant and mice, flow control off", program: binaries.Release, args: off, elephant: true},
	}
}

// measure starts the server of the case, lets its animals loose and stops it.
func (c contest) measure(o *harness.Owner, s setting) result {
	server, target := c.start(o, s)
	ctx, cancel := context.WithTimeout(o.Context(), warmUp+runTime)
	defer cancel()
	var group sync.WaitGroup
	got := result{mice: &traffic.Tally{}}
	var err error
	if c.elephant {
		group.Go(func() { got.elephant, err = feed(o.Context(), server.Kubeconfig) })
	}
	for i := range mice {
		client := target.Client(mouse(i))
		defer client.Close()
		offset := warmUp + miceInterval*time.Duration(i)/mice
		group.Go(func() { traffic.Mouse(ctx, client, miceInterval, offset, mousePath, got.mice) })
	}
	group.Wait()
	o.Check(err)
	if got.elephant.Failed > 0 {
		o.Fatalf("%s: %d requests of the elephant got no answer, the last of them: %s", c.name, got.elephant.Failed, got.elephant.LastError)
	}
	if failed, err := got.mice.Failed(); failed > 0 {
		o.Fatalf("%s: %d requests of mice got no answer, the last of them: %v", c.name, failed, err)
	}
	const prefix = "apiserver_flowcontrol_request_"
	metrics, err := scrape.Parse(server.Kubectl(o).Run(o, "get", "--raw", "/metrics"), prefix)
	o.Check(err)
	got.waited = metrics.Mean(prefix+"wait_duration_seconds", `flow_schema="mice"`)
	got.executed = metrics.Mean(prefix+"execution_seconds", `flow_schema="mice"`)
	return got
}

func (c contest) start(o *harness.Owner, s setting) (*harness.Server, *traffic.Target) {
	program, err := c.program(o.Context())
	o.Check(err)
	dir := o.TempDir()
	people := []traffic.Person{{Name: "elephant", Groups: []string{"elephants"}}}
	for i := range mice {
		people = append(people, traffic.Person{Name: mouse(i), Groups: []string{"mice"}})
	}
	tokens := filepath.Join(dir, "tokens.csv")
	o.Check(traffic.WriteTokenFile(tokens, people))
	webhook, permission, err := traffic.AllowReading(dir, s.backend)
	o.Check(err)
	o.Cleanup(permission.Close)

	args := append([]string{
		"--max-requests-inflight=40", "--max-mutating-requests-inflight=20",
		"--token-auth-file=" + tokens,
		"--authorization-webhook-config-file=" + webhook,
	}, c.args...)
	if s.backend.Places > 0 {
		args = append(args, "--authorization-webhook-cache-authorized-ttl=0s") // each request needs it
	}
	server := harness.StartServer(o, harness.ServerOptions{Program: program, Args: args})
	kubectl := server.Kubectl(o)
	kubectl.RunInput(o, s.objects(), "apply", "-f", "-")
	if len(c.args) == 0 {
		kubectl.Run(o, "wait", "--for=condition=Dangling=False", "flowschema/elephants", "flowschema/mice")
	}
	target, err := traffic.NewTarget(server.Kubeconfig)
	o.Check(err)
	return server, target
}

func mouse(i int) string { return fmt.Sprintf("mouse-%d", i) }
