package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// store is a Service, a Secret and a StatefulSet of one etcd, whose flags name
// a file of the Secret's volume and its own variables.
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
	kubectl := c.Kubectl(t)
	kubectl.RunInput(t, store, "apply", "-f", "-")
	kubectl.Run(t, "rollout", "status", "statefulset/store", "--timeout=150s")
	pod := c.Node.WaitReady(t, "app=store", 1)[0]
	service, err := c.Client.CoreV1().Services("default").Get(t.Context(), "store", metav1.GetOptions{})
	require.NoError(t, err)

	t.Run("services are reached by address and name, at their own ports", func(t *testing.T) {
		for _, address := range []string{service.Spec.ClusterIP + ":80", "store.default.svc:80", "store.default.svc.cluster.local:80", "kubernetes.default.svc:443"} {
			Eventually(t, address+" is reached", reaches(c, address))
		}
		for _, address := range []string{service.Spec.ClusterIP + ":81", "none.default.svc:80", "example.com:443"} {
			require.Error(t, reaches(c, address)(t.Context()), address)
		}
	})
	t.Run("a volume follows its secret", func(t *testing.T) {
		patch := []byte(`{"stringData": {"name": "second"}}`)
		_, err := c.Client.CoreV1().Secrets("default").Patch(t.Context(), "settings", types.StrategicMergePatchType, patch, metav1.PatchOptions{})
		require.NoError(t, err)
		Eventually(t, "the file changes", func(context.Context) error {
			content, err := os.ReadFile(filepath.Join(pod.volumes.path(&corev1.Volume{Name: "settings"}), "name"))
			if err == nil && string(content) != "second" {
				err = errors.New(string(content))
			}
			return err
		})
	})
	t.Run("a process that ended is started again", func(t *testing.T) {
		pod.Process().Kill(t)
		Eventually(t, "the pod runs again", func(context.Context) error {
			if pod.Restarts() != 1 || !pod.Ready() {
				return errors.New("not yet")
			}
			return nil
		})
	})
	t.Run("a pod that is deleted ends, and is not reached", func(t *testing.T) {
		process := pod.Process()
		kubectl.Run(t, "scale", "statefulset/store", "--replicas=0")
		kubectl.Run(t, "wait", "--for=delete", "pod/store-0", "--timeout=150s")
		<-process.Done()
		Eventually(t, "nothing is behind the Service", func(ctx context.Context) error {
			if err := reaches(c, "store.default.svc:80")(ctx); !errors.Is(err, errNoEndpoint) {
				return errors.New("something is")
			}
			return nil
		})
	})
}

func reaches(c *Cluster, address string) func(context.Context) error {
	return func(ctx context.Context) error {
		connection, err := c.Network.Dial(ctx, address)
		if err == nil {
			_ = connection.Close()
		}
		return err
	}
}
