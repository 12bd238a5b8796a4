package command

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/explain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/replica"
)

// factsOf returns what the replicas tell of stored objects and of watches. The replica
// that tells most counts: all store the same objects, some more recently than others,
// and a write reaches the watchers of the replica that it is sent to.
func factsOf(replicas []replica.Replica) explain.Facts {
	facts := explain.Facts{}
	at := func(resource schema.GroupResource) explain.Fact {
		if fact, known := facts[resource]; known {
			return fact
		}
		return explain.Fact{Objects: -1}
	}
	for i := range replicas {
		metrics := &replicas[i].Metrics
		for resource, objects := range metrics.Objects {
			fact := at(resource)
			fact.Objects, fact.Bytes = max(fact.Objects, objects), max(fact.Bytes, metrics.Bytes[resource])
			facts[resource] = fact
		}
		for resource, watches := range metrics.Watches {
			fact := at(resource)
			fact.Watchers = max(fact.Watchers, int(watches))
			facts[resource] = fact
		}
	}
	return facts
}
