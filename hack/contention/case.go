package main

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	elephantConnections = 200
	mice                = 20
	miceInterval        = time.Second
	// warmUp is the elephant's alone, who opens its connections in it.
	warmUp  = 4 * time.Second
	runTime = 12 * time.Second

	elephantPath = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas?resourceVersion=0"
	mousePath    = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/catch-all?resourceVersion=0"
)

// level is where all requests go: 4 of the 60 seats, none borrowed, queues that
// hold all of the elephant's requests.
const level = `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: contended}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 17
    borrowingLimitPercent: 0
    limitResponse:
      type: Queue
      queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: contended}
spec:
  matchingPrecedence: 700
  priorityLevelConfiguration: {name: contended}
  distinguisherMethod: {type: ByUser}
  rules:
  - subjects: [{kind: Group, group: {name: animals}}]
    resourceRules:
    - {verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"]}
`

// contest is a server with or without an elephant.
type contest struct {
	name     string
	program  func(context.Context) (string, error)
	args     []string
	elephant bool
}

// result is what one round gave to whom.
type result struct {
	elephant, mice *traffic.Tally
}

func cases() []contest {
	off := []string{"--enable-priority-and-fairness=false"}
	return []contest{
		{name: "mice alone, pkg/apf", program: binaries.Server},
		{name: "elephant and mice, pkg/apf", program: binaries.Server, elephant: true},
		{name: "elephant and mice, k8s.io/apiserver", program: binaries.Peer, elephant: true},
		{name: "elephant and mice, flow control off", program: binaries.Server, args: off, elephant: true},
	}
}

// measure starts the server of the case, lets its animals loose and stops it.
func (c contest) measure(o *harness.Owner) result {
	target := c.start(o)
	ctx, cancel := context.WithTimeout(o.Context(), warmUp+runTime)
	defer cancel()
	var group sync.WaitGroup
	got := result{elephant: &traffic.Tally{}, mice: &traffic.Tally{}}
	if c.elephant {
		client := target.Client("elephant")
		defer client.Close()
		group.Go(func() {
			traffic.Elephant(ctx, client, elephantConnections, traffic.Rude, elephantPath, got.elephant)
		})
	}
	for i := range mice {
		client := target.Client(mouse(i))
		defer client.Close()
		offset := warmUp + miceInterval*time.Duration(i)/mice
		group.Go(func() { traffic.Mouse(ctx, client, miceInterval, offset, mousePath, got.mice) })
	}
	group.Wait()
	for _, tally := range []*traffic.Tally{got.elephant, got.mice} {
		if failed, err := tally.Failed(); failed > 0 {
			o.Fatalf("%s: %d requests got no answer, the last of them: %v", c.name, failed, err)
		}
	}
	return got
}

func (c contest) start(o *harness.Owner) *traffic.Target {
	program, err := c.program(o.Context())
	o.Check(err)
	dir := o.TempDir()
	people := []traffic.Person{{Name: "elephant", Groups: []string{"animals"}}}
	for i := range mice {
		people = append(people, traffic.Person{Name: mouse(i), Groups: []string{"animals"}})
	}
	tokens := filepath.Join(dir, "tokens.csv")
	o.Check(traffic.WriteTokenFile(tokens, people))
	webhook, permission, err := traffic.AllowReading(dir)
	o.Check(err)
	o.Cleanup(permission.Close)

	server := harness.StartServer(o, harness.ServerOptions{Program: program, Args: append([]string{
		"--max-requests-inflight=40", "--max-mutating-requests-inflight=20",
		"--token-auth-file=" + tokens,
		"--authorization-webhook-config-file=" + webhook,
	}, c.args...)})
	kubectl := server.Kubectl(o)
	kubectl.RunInput(o, level, "apply", "-f", "-")
	if len(c.args) == 0 {
		kubectl.Run(o, "wait", "--for=condition=Dangling=False", "flowschema/contended")
	}
	target, err := traffic.NewTarget(server.Kubeconfig)
	o.Check(err)
	return target
}

func mouse(i int) string { return fmt.Sprintf("mouse-%d", i) }
