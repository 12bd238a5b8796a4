package bootstrap

import (
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Reporter is told what the keeper undid, and what it cannot do.
type Reporter interface {
	// Recreated is called when a built-in object was deleted and is there again.
	Recreated(kind string, object metav1.Object)
	// Restored is called when the spec of a built-in object was changed and is as before.
	Restored(kind string, object metav1.Object)
	// Failed is called by each pass that cannot create or update a built-in object, with the object
	// that is stored, or the built-in one.
	Failed(kind string, object metav1.Object, err error)
}

// silent is a Reporter that reports nothing.
type silent struct{}

func (silent) Recreated(string, metav1.Object) {}
func (silent) Restored(string, metav1.Object)  {}

func (silent) Failed(string, metav1.Object, error) {}

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

// metrics counts the writes that succeeded, and shows which objects are ensured. A count that keeps
// growing means that another server or client reverts the writes.
type metrics struct {
	*prometheus.Registry
	writes  *prometheus.CounterVec
	ensured *prometheus.GaugeVec
}

// newMetrics returns counters at zero, so that the first write is an increase too.
func newMetrics() metrics {
	m := metrics{
		Registry: prometheus.NewRegistry(),
		writes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "flowcontrol_apiserver_built_in_object_writes_total",
			Help: "[ALPHA] Number of writes of this server to maintain the built-in FlowSchemas and PriorityLevelConfigurations, by operation: create, restore, annotate or delete",
		}, []string{"kind", "name", "operation"}),
		ensured: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "flowcontrol_apiserver_built_in_object_ensured",
			Help: "[ALPHA] 1 if the built-in FlowSchema or PriorityLevelConfiguration was as it should be, or was made so, when this server looked last; 0 if this server could not create or update it",
		}, []string{"kind", "name"}),
	}
	m.MustRegister(m.writes, m.ensured)
	return m
}

// expect makes the metrics of a built-in object appear.
func (m metrics) expect(kind, name string) {
	for _, operation := range []operation{created, restored, annotated} {
		m.writes.WithLabelValues(kind, name, string(operation))
	}
	m.ensured.WithLabelValues(kind, name)
}

func (m metrics) count(kind, name string, operation operation) {
	m.writes.WithLabelValues(kind, name, string(operation)).Inc()
}

// look records whether an object is ensured.
func (m metrics) look(kind, name string, ensured bool) {
	value := 0.0
	if ensured {
		value = 1
	}
	m.ensured.WithLabelValues(kind, name).Set(value)
}
