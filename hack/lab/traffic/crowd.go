package traffic

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Crowd is greedy users, with connections that never pause but for Retry-After, and mice.
type Crowd struct {
	Greedy, Connections, Mice int
	// Pace is the time between two requests of a mouse.
	Pace time.Duration
	// Seats is the limit of their level, and how many requests the backend serves at once,
	// each for Takes.
	Seats int
	Takes time.Duration
	// QueueLength is the length of each queue of the level.
	QueueLength int
}

// Everybody is the name of the level of Objects, and of its schema.
const Everybody = "everybody"

// Backend has as many places as the level has seats.
func (c Crowd) Backend() Backend { return Backend{Places: c.Seats, Takes: c.Takes} }

// People returns the users.
func (c Crowd) People() (people []Person) {
	for i := range c.Greedy {
		people = append(people, Person{Name: nameOfGreedy(i), Group: "greedy"})
	}
	for i := range c.Mice {
		people = append(people, Person{Name: NameOfMouse(i), Group: "mice"})
	}
	return people
}

func nameOfGreedy(i int) string { return fmt.Sprintf("greedy-%d", i) }

// Args are flags of the server. The level has 245 shares, as the built-in levels together, so half
// of the seats. Each request asks the backend.
func (c Crowd) Args() []string {
	return []string{
		fmt.Sprintf("--max-requests-inflight=%d", 2*c.Seats), "--max-mutating-requests-inflight=0",
		"--authorization-webhook-cache-authorized-ttl=0s",
	}
}

// Objects are the level, and a schema of all users that names this level or another.
func (c Crowd) Objects(level string) string {
	return fmt.Sprintf(`
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: everybody}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 245
    borrowingLimitPercent: 0
    limitResponse: {type: Queue, queuing: {queues: 64, handSize: 6, queueLengthLimit: %d}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: everybody}
spec:
  matchingPrecedence: 500
  priorityLevelConfiguration: {name: %s}
  distinguisherMethod: {type: ByUser}
  rules:
  - subjects: [{kind: Group, group: {name: greedy}}, {kind: Group, group: {name: mice}}]
    resourceRules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"]}]
`, c.QueueLength, level)
}

// head is how long the greedy users connect before the mice begin.
const head = 2 * time.Second

// Run sends the requests of all users until ctx ends.
func (c Crowd) Run(ctx context.Context, target *Target, greedy, mice *Tally) {
	const path = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/exempt"
	var group sync.WaitGroup
	start := func(name string, run func(*Client)) {
		client := target.Client(name)
		group.Go(func() {
			defer client.Close()
			run(client)
		})
	}
	for i := range c.Greedy {
		start(nameOfGreedy(i), func(client *Client) { Elephant(ctx, client, c.Connections, path, greedy) })
	}
	for i := range c.Mice {
		start(NameOfMouse(i), func(client *Client) {
			Mouse(ctx, client, c.Pace, head+c.Pace*time.Duration(i)/time.Duration(c.Mice), path, mice)
		})
	}
	group.Wait()
}
