package visibility

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	"sigs.k8s.io/kueue/pkg/util/expectations"
)

// namespace of the local queues and workloads.
const namespace = "default"

// newQueues returns queues of Kueue, which its controllers fill from the cluster: cluster queues "large" and "small" with these
// numbers of pending workloads, and a local queue of the same name for each.
func newQueues(ctx context.Context, large, small int) (*qcache.Manager, error) {
	queues := qcache.NewManager(noObjects{}, active{}, qcache.NewRequeuer(), qcache.WithPreemptionExpectations(expectations.NewStore("preempted")))
	for name, size := range map[string]int{"large": large, "small": small} {
		if err := fill(ctx, queues, name, size); err != nil {
			return nil, fmt.Errorf("filling queue %s: %w", name, err)
		}
	}
	return queues, nil
}

func fill(ctx context.Context, queues *qcache.Manager, name string, size int) error {
	clusterQueue := &kueue.ClusterQueue{ObjectMeta: metav1.ObjectMeta{Name: name}}
	clusterQueue.Spec.NamespaceSelector = &metav1.LabelSelector{}
	if err := queues.AddClusterQueue(ctx, clusterQueue); err != nil {
		return err
	}
	localQueue := &kueue.LocalQueue{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}}
	localQueue.Spec.ClusterQueue = kueue.ClusterQueueReference(name)
	if err := queues.AddLocalQueue(ctx, localQueue); err != nil {
		return err
	}
	for i := range size {
		if err := queues.AddOrUpdateWorkload(logr.Discard(), workload(name, i)); err != nil {
			return err
		}
	}
	return nil
}

func workload(queue string, number int) *kueue.Workload {
	w := &kueue.Workload{ObjectMeta: metav1.ObjectMeta{
		Name: fmt.Sprintf("%s-%d", queue, number), Namespace: namespace,
		CreationTimestamp: metav1.NewTime(time.Unix(int64(number*7919%100_003), 0)), // in no order
	}}
	w.Spec.QueueName = kueue.LocalQueueName(queue)
	active, priority := true, int32(0)
	w.Spec.Active, w.Spec.Priority = &active, &priority
	return w
}

// active says of each cluster queue that it admits workloads.
type active struct{}

func (active) ClusterQueueActive(kueue.ClusterQueueReference) bool { return true }

// noObjects is a client of a cluster without objects of Kueue.
type noObjects struct{ client.Client }

func (noObjects) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }
