// Without the peer the race detector needs 235 packages instead of 528.

//go:build !race

package queueset_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/eventclock"
	peerqueueset "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

func peers(t *testing.T, config queueset.Config, limit int) serve {
	label := []string{"differential"}
	c := eventclock.Real{}
	completer, err := peerqueueset.NewQueueSetFactory(c).BeginConstruction(
		fq.QueuingConfig{Name: label[0], DesiredNumQueues: config.Queues, HandSize: config.HandSize, QueueLengthLimit: config.QueueLengthLimit},
		metrics.RatioedGaugeVecPhasedElementPair(metrics.PriorityLevelConcurrencyGaugeVec, 1, 1, label),
		metrics.PriorityLevelExecutionSeatsGaugeVec.NewForLabelValuesSafe(0, 1, label),
		fq.NewNamedIntegrator(c, label[0]))
	require.NoError(t, err)
	set := completer.Complete(fq.DispatchingConfig{ConcurrencyLimit: limit, ConcurrencyDenominator: limit})
	return func(ctx context.Context, c *client, execute func()) {
		work := fcrequest.WorkEstimate{InitialSeats: uint64(c.work.Initial)}
		r, _ := set.StartRequest(ctx, &work, uint64(flow.HashOf("schema", c.flow)), c.flow, "schema", nil, nil, nil)
		if r != nil {
			r.Finish(execute)
		}
	}
}
