package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// seats is small, so that a laptop can fill them.
	seats               = 30
	elephantConnections = 200
	mice                = 5
	mousePerSecond      = 4
	runTime             = 8 * time.Second
	// ballast is the number of schemas that make a list expensive.
	ballast = 150

	path = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas?resourceVersion=0"
)

// scene is the server with its users.
type scene struct {
	kubectl *harness.Kubectl
	target  *traffic.Target
	example string
}

func setUp(o *harness.Owner) *scene {
	root, err := binaries.Root()
	o.Check(err)
	server, target := traffic.StartServer(o, harness.ServerOptions{Args: []string{
		fmt.Sprintf("--max-requests-inflight=%d", seats), "--max-mutating-requests-inflight=0",
	}}, traffic.People("batch-jobs", mice), traffic.Backend{})
	s := &scene{kubectl: server.Kubectl(o), target: target, example: filepath.Join(root, "artifacts", "examples", "batch-jobs.yaml")}
	s.kubectl.RunInput(o, ballastSchemas(), "create", "-f", "-")
	return s
}

// ballastSchemas are schemas that match no request, as a YAML stream.
func ballastSchemas() string {
	var objects strings.Builder
	for i := range ballast {
		fmt.Fprintf(&objects, `---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: ballast-%d}
spec:
  matchingPrecedence: 9999
  priorityLevelConfiguration: {name: catch-all}
  rules:
  - subjects: [{kind: User, user: {name: nobody-%d}}]
    nonResourceRules: [{verbs: [get], nonResourceURLs: [/nothing]}]
`, i, i)
	}
	return objects.String()
}

// run sends the requests of all users for runTime.
func (s *scene) run(o *harness.Owner) result {
	before := s.metrics(o)
	elephant, small := &traffic.Tally{}, &traffic.Tally{}
	ctx, cancel := context.WithTimeout(o.Context(), runTime)
	defer cancel()
	var group sync.WaitGroup
	start := func(name string, run func(*traffic.Client)) {
		client := s.target.Client(name)
		group.Go(func() {
			defer client.Close()
			run(client)
		})
	}
	start("elephant", func(c *traffic.Client) { traffic.Elephant(ctx, c, elephantConnections, traffic.Polite, path, elephant) })
	for i := range mice {
		start(traffic.NameOfMouse(i), func(c *traffic.Client) {
			const pace = time.Second / mousePerSecond
			traffic.Mouse(ctx, c, pace, pace*time.Duration(i)/mice, path, small)
		})
	}
	var seen occupancy
	group.Go(func() { seen = s.sample(ctx, o) })
	group.Wait()
	return result{elephant: elephant, mice: small, seen: seen, change: s.metrics(o).Since(before)}
}
