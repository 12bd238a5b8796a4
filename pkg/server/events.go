package server

import (
	"os"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/events"
)

// newEvents returns what writes Events to the kube-apiserver in front; nil if nothing does.
func newEvents(c CompletedConfig, kubeAPIServer *kubeAPIServer, own ownObjects, flowControl *flowControl) *events.Reporter {
	if !c.Events || kubeAPIServer == nil || flowControl == nil {
		return nil
	}
	host, err := os.Hostname() // the pod's name
	if err != nil {
		host = "A replica"
	}
	return events.New(events.Config{
		Sink:     &corev1client.EventSinkImpl{Interface: kubeAPIServer.client.CoreV1().Events("")},
		Host:     host,
		Schemas:  objectsOf[*flowcontrolv1.FlowSchema](own.FlowSchemas().Informer()),
		Levels:   objectsOf[*flowcontrolv1.PriorityLevelConfiguration](own.PriorityLevelConfigurations().Informer()),
		Rejected: flowControl.rejected,
		Clock:    c.Clock,
	})
}

// objectsOf returns a function that returns the objects of an informer.
func objectsOf[T any](informer cache.SharedIndexInformer) func() []T {
	return func() []T {
		var objects []T
		for _, object := range informer.GetStore().List() {
			objects = append(objects, object.(T))
		}
		return objects
	}
}

// rejected returns how many requests were rejected so far, by priority level, without
// those whose clients left.
func (f *flowControl) rejected() map[string]uint64 {
	counts := map[string]uint64{}
	for _, series := range f.Engine().Report().Series {
		for reason, n := range series.Rejected {
			if queueset.Reason(reason) != queueset.Cancelled {
				counts[series.Level] += n
			}
		}
	}
	return counts
}
