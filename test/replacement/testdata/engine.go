// Package options is k8s.io/apiserver's; ../module.sh adds this file to it.
package options

import (
	"os"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apiserver/pkg/registry/generic"
	utilflowcontrol "k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/client-go/informers"
	flowcontrolclient "k8s.io/client-go/kubernetes/typed/flowcontrol/v1"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/storage"
)

// newFlowControl returns pkg/apf, or the library's engine if FLOW_CONTROL_ENGINE is
// "library".
func newFlowControl(factory informers.SharedInformerFactory, client flowcontrolclient.FlowcontrolV1Interface, seats int) utilflowcontrol.Interface {
	if os.Getenv("FLOW_CONTROL_ENGINE") == "library" {
		return utilflowcontrol.New(factory, client, seats)
	}
	flowControl, err := apf.New(apf.ConfigFor(factory, client, seats))
	if err != nil {
		panic(err)
	}
	measured.current.Store(flowControl)
	measured.register.Do(func() { legacyregistry.RawMustRegister(&measured, reads) })
	return flowControl
}

// reads guard the storages of all servers of the process.
var reads = storage.New()

// storageWithCache returns the library's StorageWithCacher, or, unless the engine is the library's,
// a decorator whose lists that bypass the watch cache ask for seats again.
func storageWithCache(library generic.StorageDecorator) generic.StorageDecorator {
	if os.Getenv("FLOW_CONTROL_ENGINE") == "library" {
		return library
	}
	return reads.Decorator(storage.Layers{})
}

// engines collects the metrics of the newest engine, since Kubernetes' tests start several
// servers in one process, with one registry.
type engines struct {
	register sync.Once
	current  atomic.Pointer[apf.FlowControl]
}

var measured engines

// Describe describes nothing: the metrics are not checked when they are registered.
func (e *engines) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (e *engines) Collect(metrics chan<- prometheus.Metric) {
	e.current.Load().Registry().Collect(metrics)
}
