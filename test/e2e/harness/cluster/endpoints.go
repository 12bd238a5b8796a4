package cluster

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

// nudgeInterval is the interval between two changes of the server's Service.
const nudgeInterval = 5 * time.Second

// nudgeEndpoints changes the server's Service at intervals, so that the endpoints
// controller syncs it. After a restart of kube-apiserver the controller's cache
// may be outdated. The controller then tries 15 times and leaves the Endpoints
// unchanged until a pod or the Service changes, which may never happen in a test.
// Until then kube-apiserver sends requests to deleted pods.
func (c *Cluster) nudgeEndpoints(ctx context.Context) {
	count := 0
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		count++
		patch := fmt.Appendf(nil, `{"metadata": {"annotations": {"test/nudge": "%d"}}}`, count)
		// The patch fails while the Service or kube-apiserver is not available.
		_, _ = c.Client.CoreV1().Services(Namespace).Patch(ctx, Deployment, types.MergePatchType, patch, metav1.PatchOptions{})
	}, nudgeInterval)
}
