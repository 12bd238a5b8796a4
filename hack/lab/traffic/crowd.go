package traffic

import (
	"fmt"
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
		people = append(people, Person{Name: nameOfGreedy(i), Group: Greedy})
	}
	for i := range c.Mice {
		people = append(people, Person{Name: NameOfMouse(i), Group: Mice})
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

// The names of the flows of a crowd.
const (
	Greedy = "greedy"
	Mice   = "mice"
)

// Load is the requests of all users, for a time.
func (c Crowd) Load(lasts time.Duration) Load {
	const path = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/exempt"
	return Load{Flows: []Flow{
		{Name: Greedy, Users: Tokened(c.Greedy, nameOfGreedy), Threads: c.Connections, Ask: Get(path), For: lasts, Patience: Timeout},
		{Name: Mice, Users: Tokened(c.Mice, NameOfMouse), Every: c.Pace, Ask: Get(path), Start: head, For: lasts - head, Patience: Timeout},
	}}
}
