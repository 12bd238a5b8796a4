package bootstrap

import (
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Reporter is told what the keeper undid.
type Reporter interface {
	// Recreated is called when a built-in object was deleted and is there again.
	Recreated(kind string, object metav1.Object)
	// Restored is called when the spec of a built-in object was changed and is as before.
	Restored(kind string, object metav1.Object)
}

// silent is a Reporter that reports nothing.
type silent struct{}

func (silent) Recreated(string, metav1.Object) {}
func (silent) Restored(string, metav1.Object)  {}

// operation is a kind of write of the keeper.
type operation string

const (
	// created is the creation of a built-in object that did not exist.
	created operation = "create"
	// restored is an update of a spec that somebody else had changed.
	restored operation = "restore"
	// annotated is an update of the autoupdate-spec annotation alone.
	annotated operation = "annotate"
	// deleted is the deletion of an object of another release.
	deleted operation = "delete"
)

// writes counts the writes that succeeded. A count that keeps growing means that another
// server or client reverts them.
type writes struct{ counter *prometheus.CounterVec }

// newWrites returns counters at zero, so that the first write is an increase too.
func newWrites() writes {
	return writes{prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "flowcontrol_apiserver_built_in_object_writes_total",
		Help: "[ALPHA] Number of writes of this server to maintain the built-in FlowSchemas and PriorityLevelConfigurations, by operation: create, restore, annotate or delete",
	}, []string{"kind", "name", "operation"})}
}

// expect makes the counters of a built-in object appear.
func (w writes) expect(kind, name string) {
	for _, operation := range []operation{created, restored, annotated} {
		w.counter.WithLabelValues(kind, name, string(operation))
	}
}

func (w writes) count(kind, name string, operation operation) {
	w.counter.WithLabelValues(kind, name, string(operation)).Inc()
}
