package server

import (
	"os"

	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
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
		Schemas:  own.FlowSchemas().Lister().List,
		Levels:   own.PriorityLevelConfigurations().Lister().List,
		Rejected: flowControl.rejected,
		Clock:    c.Clock,
	})
}

func (f *flowControl) rejected() map[string]uint64 {
	return rejectedByLevel(f.Engine().Report().Series)
}

// rejectedByLevel returns how many requests were rejected so far, by priority level, without
// those whose clients left.
func rejectedByLevel(all []engine.SeriesReport) map[string]uint64 {
	counts := map[string]uint64{}
	for _, series := range all {
		for reason, n := range series.Rejected {
			if queueset.Reason(reason) != queueset.Cancelled {
				counts[series.Level] += n
			}
		}
	}
	return counts
}
