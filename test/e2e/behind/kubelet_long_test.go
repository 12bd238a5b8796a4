//go:build long

package behind

import (
	"context"
	"net/http"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// kubeletPace divides the durations of kubelet and of the guard.
const kubeletPace = 5

// kubelet restarts kube-apiserver by the probes of the static pod that kubeadm makes. It
// acts when it is asked to sync, in the goroutine of the test.
type kubelet struct {
	site     *site
	started  bool      // the startup probe has succeeded
	failing  time.Time // since when the probe fails
	restarts int
}

func (s *site) newKubelet() *kubelet { return &kubelet{site: s, failing: time.Now()} }

// patience is how long the probe that is due may fail: the startup probe for 24 periods of 10 s
// after 10 s, and then the liveness probe for 8.
func (k *kubelet) patience() time.Duration {
	if k.started {
		return 80 * time.Second / kubeletPace
	}
	return 250 * time.Second / kubeletPace
}

// sync probes once, and restarts kube-apiserver if it has failed for too long.
func (k *kubelet) sync(ctx context.Context) {
	reply, err := harness.Send(ctx, k.site.http, http.MethodGet, k.site.KubeAPIServer.URL+"/livez", "")
	if err == nil && reply.Code == http.StatusOK {
		k.started, k.failing = true, time.Time{}
		return
	}
	if k.failing.IsZero() {
		k.failing = time.Now()
	}
	if time.Since(k.failing) < k.patience() {
		return
	}
	k.site.KubeAPIServer.Kill(k.site.owner)
	k.site.launchKubeAPIServer()
	k.started, k.failing = false, time.Now()
	k.restarts++
}

// holds waits until the assertions hold, while kubelet works.
func (k *kubelet) holds(what string, try func(*eventually.Attempt)) {
	eventually.Holds(k.site.owner, what, func(a *eventually.Attempt) {
		k.sync(a.Context())
		try(a)
	})
}

// waitReady waits until kube-apiserver is ready.
func (k *kubelet) waitReady() {
	k.holds("kube-apiserver is ready", func(a *eventually.Attempt) {
		require.Equal(a, http.StatusOK, k.site.get(a, "/readyz").Code)
	})
}
