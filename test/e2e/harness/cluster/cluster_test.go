package cluster

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// store is a Service, a Secret and a StatefulSet of one etcd. Its flags name a
// file of the Secret's volume and environment variables.
const store = `
apiVersion: v1
kind: Service
metadata: {name: store}
spec:
  selector: {app: store}
  ports: [{name: clients, port: 80, targetPort: clients}]
---
apiVersion: v1
kind: Secret
metadata: {name: settings}
stringData: {name: first}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: store}
spec:
  serviceName: store
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec:
      containers:
      - name: etcd
        image: registry.example/etcd:1
        args:
        - --name=$(NAME)
        - --data-dir=/data/member
        - --listen-client-urls=http://0.0.0.0:2379
        - --advertise-client-urls=http://$(NAME).store.default.svc:2379
        - --listen-peer-urls=http://0.0.0.0:2380
        - --initial-advertise-peer-urls=http://127.0.0.1:2380
        - --initial-cluster=$(NAME)=http://127.0.0.1:2380
        env: [{name: NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
        ports: [{name: clients, containerPort: 2379}]
        readinessProbe: {httpGet: {path: /health, port: clients}}
        volumeMounts: [{name: data, mountPath: /data}, {name: settings, mountPath: /settings}]
      volumes:
      - {name: data, emptyDir: {}}
      - {name: settings, secret: {secretName: settings}}
`

func TestDeploymentsRunAndAreReachedAsInACluster(t *testing.T) {
	c := Start(t, Options{})
	c.Kubectl(t).RunInput(t, store, "apply", "-f", "-")
	pod := c.Node.WaitReady(t, "app=store", 1)[0]

	t.Run("services are reached by address and name, at their own ports", func(t *testing.T) { testReached(t, c) })
	t.Run("a volume follows its secret", func(t *testing.T) {
		patch := []byte(`{"stringData": {"name": "second"}}`)
		_, err := c.Client.CoreV1().Secrets("default").Patch(t.Context(), "settings", types.StrategicMergePatchType, patch, metav1.PatchOptions{})
		require.NoError(t, err)
		eventually.Holds(t, "the file changes", func(a *eventually.Attempt) {
			content, err := os.ReadFile(filepath.Join(pod.volumes.path(&corev1.Volume{Name: "settings"}), "name"))
			require.NoError(a, err)
			require.Equal(a, "second", string(content))
		})
	})
	t.Run("a process that ended is started again", func(t *testing.T) {
		pod.Process().Kill(t)
		eventually.Holds(t, "the pod runs again", func(a *eventually.Attempt) {
			require.EqualValues(a, 1, pod.Restarts())
			require.True(a, pod.Ready())
		})
	})
	t.Run("a process that cannot be started is said in the pod's status", func(t *testing.T) { testNotStarted(t, c) })
	t.Run("a pod that is deleted ends, and is not reached", func(t *testing.T) { testDeleted(t, c, pod) })
}

func testReached(t *testing.T, c *Cluster) {
	service, err := c.Client.CoreV1().Services("default").Get(t.Context(), "store", metav1.GetOptions{})
	require.NoError(t, err)
	for _, address := range []string{service.Spec.ClusterIP + ":80", "store.default.svc:80", "store.default.svc.cluster.local:80", "kubernetes.default.svc:443"} {
		eventually.Holds(t, address+" is reached", func(a *eventually.Attempt) {
			require.NoError(a, reach(a.Context(), c, address))
		})
	}
	for _, address := range []string{service.Spec.ClusterIP + ":81", "none.default.svc:80", "example.com:443"} {
		require.Error(t, reach(t.Context(), c, address), address)
	}
}

// testNotStarted creates a pod with an argument that no process accepts.
func testNotStarted(t *testing.T, c *Cluster) {
	pods := c.Client.CoreV1().Pods("default")
	_, err := pods.Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "impossible"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "etcd", Image: "etcd", Args: []string{"\x00"}}}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	eventually.Holds(t, "the status says why", func(a *eventually.Attempt) {
		pod, err := pods.Get(a.Context(), "impossible", metav1.GetOptions{})
		require.NoError(a, err)
		require.Equal(a, corev1.PodPending, pod.Status.Phase)
		require.Len(a, pod.Status.ContainerStatuses, 1)
		require.NotNil(a, pod.Status.ContainerStatuses[0].State.Waiting)
		require.Contains(a, pod.Status.ContainerStatuses[0].State.Waiting.Message, "starting etcd: ")
	})
}

func testDeleted(t *testing.T, c *Cluster, pod *Pod) {
	process := pod.Process()
	scale := []byte(`{"spec": {"replicas": 0}}`)
	_, err := c.Client.AppsV1().StatefulSets("default").Patch(t.Context(), "store", types.MergePatchType, scale, metav1.PatchOptions{})
	require.NoError(t, err)
	eventually.Holds(t, "the pod is gone", func(a *eventually.Attempt) {
		_, err := c.Client.CoreV1().Pods("default").Get(a.Context(), pod.Name(), metav1.GetOptions{})
		require.True(a, apierrors.IsNotFound(err), "%v", err)
	})
	<-process.Done()
	eventually.Holds(t, "nothing is behind the Service", func(a *eventually.Attempt) {
		require.ErrorIs(a, reach(a.Context(), c, "store.default.svc:80"), errNoEndpoint)
	})
}

// reach connects to an address of the cluster and closes the connection.
func reach(ctx context.Context, c *Cluster, address string) error {
	connection, err := c.Network.Dial(ctx, address)
	if err == nil {
		_ = connection.Close()
	}
	return err
}
