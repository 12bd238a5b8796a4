package cluster

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

// nudgeInterval separates two changes of the server's Service.
const nudgeInterval = 5 * time.Second

// nudgeEndpoints changes the server's Service from time to time, so that the
// endpoints controller looks again. When its cache fell behind, because
// kube-apiserver was started again, it tries 15 times and then leaves the Endpoints
// as they are until a pod or the Service changes, which here may be never:
// kube-apiserver would go on asking pods that have gone.
func (c *Cluster) nudgeEndpoints(ctx context.Context) {
	count := 0
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		count++
		patch := fmt.Appendf(nil, `{"metadata": {"annotations": {"test/nudge": "%d"}}}`, count)
		// It fails while the Service is not there, or kube-apiserver is not.
		_, _ = c.Client.CoreV1().Services(Namespace).Patch(ctx, Deployment, types.MergePatchType, patch, metav1.PatchOptions{})
	}, nudgeInterval)
}
