package main

import (
	"fmt"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

// setting is a level and the cost of its requests.
type setting struct {
	key          string // in the names of results
	title, about string
	// The shares give the level this many of the server's 60 seats.
	shares, seats int
	backend       traffic.Backend
}

// settings returns two settings. In one, an administrator has given the level
// as many seats as its backend has places. In the other, no number of seats
// helps, because the processors are the bottleneck.
func settings() []setting {
	backend := traffic.Backend{Places: 8, Takes: 20 * time.Millisecond}
	return []setting{
		{
			key:   "backend",
			title: "The backend is the bottleneck",
			about: fmt.Sprintf(`Each request needs a backend, the uncached authorization webhook, which serves %d requests at
once, first come first served, for %v on average. The level has as many seats. The
processors are mostly idle.`, backend.Places, backend.Takes),
			shares: 37, seats: 8, backend: backend,
		},
		{
			key:   "processors",
			title: "The processors are the bottleneck",
			about: `A request needs only processors, which client and server share. Most of its time passes
outside the level, without fair queuing: in TLS, HTTP, authentication and the clients. The
means of the metrics show how long requests wait for seats.`,
			shares: 17, seats: 4,
		},
	}
}

// objects returns a level and two flow schemas. The level borrows no seats, and
// its queues hold all of the elephant's requests. Two schemas let the metrics
// separate elephants and mice.
func (s setting) objects() string {
	return fmt.Sprintf(`
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: contended}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: %d
    borrowingLimitPercent: 0
    limitResponse:
      type: Queue
      queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}
`, s.shares) + schema("elephants") + schema("mice")
}

func schema(group string) string {
	return fmt.Sprintf(`---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: %s}
spec:
  matchingPrecedence: 700
  priorityLevelConfiguration: {name: contended}
  distinguisherMethod: {type: ByUser}
  rules:
  - subjects: [{kind: Group, group: {name: %s}}]
    resourceRules:
    - {verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"]}
`, group, group)
}
