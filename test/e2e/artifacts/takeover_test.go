package artifacts

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

const (
	v1APIService = "v1.flowcontrol.apiserver.k8s.io"
	ourService   = namespace + "/flowcontrol-apiserver"
)

// TestV1IsTakenAndReturned also starts kube-apiserver anew in both states, as it
// then looks whether the APIServices of its own are as it would make them.
func TestV1IsTakenAndReturned(t *testing.T) {
	c := cluster.Start(t, cluster.Options{})
	kubectl := c.Kubectl(t)
	c.Apply(t, "")
	c.MakeCertificates(t, "--etcd")
	c.WaitRollout(t)
	c.WaitAPIService(t, "v1beta3.flowcontrol.apiserver.k8s.io")
	service := func() string {
		return kubectl.Run(t, "get", "apiservice", v1APIService, "-o", "jsonpath={.spec.service.namespace}/{.spec.service.name}")
	}

	c.Apply(t, "overlays/take-v1")
	c.MakeCertificates(t, "--etcd")
	c.WaitAPIService(t, v1APIService)
	require.Equal(t, ourService, service())
	ours := uidOf(t, c, "v1beta3")
	require.Equal(t, ours, uidOf(t, c, "v1"))
	kubectl.Run(t, "get", "flowschemas.v1.flowcontrol.apiserver.k8s.io", "flowcontrol-apiserver", "flowcontrol-apiserver-tokens")

	c.KubeAPIServer.Stop(t)
	c.KubeAPIServer.Start(t)
	c.WaitAPIService(t, v1APIService)
	require.Equal(t, ourService, service())
	require.Equal(t, ours, uidOf(t, c, "v1"))

	for _, restart := range []bool{false, true} {
		if restart {
			c.KubeAPIServer.Stop(t)
			c.KubeAPIServer.Start(t)
		} else {
			c.ReturnV1(t)
		}
		cluster.Eventually(t, "kube-apiserver serves v1 itself", func(context.Context) error {
			if native := uidOf(t, c, "v1"); native == ours {
				return fmt.Errorf("v1 shows %s still", native)
			}
			return nil
		})
		require.Equal(t, "/", service())
	}

	c.Apply(t, "overlays/take-v1")
	c.MakeCertificates(t, "--etcd")
	c.WaitAPIService(t, v1APIService)
	require.Equal(t, ours, uidOf(t, c, "v1"))
}

// uidOf is the uid of the schema exempt in a version: each server has its own.
func uidOf(t *testing.T, c *cluster.Cluster, version string) string {
	t.Helper()
	return c.Kubectl(t).Run(t, "get", "flowschemas."+version+".flowcontrol.apiserver.k8s.io", "exempt", "-o", "jsonpath={.metadata.uid}")
}
