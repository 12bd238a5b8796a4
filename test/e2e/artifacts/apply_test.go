package artifacts

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestKubeAPIServerTakesTheArtifacts runs the tests that change only objects on
// one kube-apiserver. The certificates script runs first, while nothing exists.
func TestKubeAPIServerTakesTheArtifacts(t *testing.T) {
	k := startKubeAPIServer(t)
	t.Run("the certificates script makes what is missing and keeps the rest", func(t *testing.T) { testCertificates(t, k) })
	k.kubectl.Run(t, "-n", namespace, "delete", "secret", "flowcontrol-apiserver-serving") // which the overlays have
	t.Run("overlays apply as they are", func(t *testing.T) { testOverlays(t, k) })
	t.Run("kubeconform accepts all manifests", func(t *testing.T) { testSchemas(t, k, "cert-manager.io", "monitoring.coreos.com") })
	t.Run("the Job that restores a member is admitted", func(t *testing.T) {
		object, _ := restoreJob(t, "flowcontrol-etcd-0")
		k.requireAdmitted(t, object)
	})
}

// testOverlays applies each overlay with strict validation: an unknown field is an
// error. A second apply must change nothing.
func testOverlays(t *testing.T, k *kubeAPIServer) {
	for _, overlay := range append(overlays(t), "prometheus") {
		t.Run("artifacts/"+overlay, func(t *testing.T) {
			k.requireApplies(t, overlay)
			for _, object := range render(t, overlay) {
				k.requireAdmitted(t, object)
			}
		})
	}
}

func (k *kubeAPIServer) requireApplies(t *testing.T, overlay string) {
	t.Helper()
	apply := []string{"apply", "--validate=strict", "-k", folder(t, overlay)}
	result := k.kubectl.Try(t, "", apply...)
	require.Zero(t, result.ExitCode, result.Stderr)
	require.Empty(t, result.Stderr, "a warning")

	// The output of kubectl is not reliable: it prints "configured" for unchanged
	// objects too.
	before := k.stored(t, overlay)
	require.Len(t, before, len(render(t, overlay)))
	k.kubectl.Run(t, apply...)
	require.Equal(t, before, k.stored(t, overlay))
}

// stored returns the objects of a folder from kube-apiserver, without status and
// resourceVersion, which kube-apiserver changes by itself.
func (k *kubeAPIServer) stored(t *testing.T, folderName string) []unstructured.Unstructured {
	t.Helper()
	var list unstructured.UnstructuredList
	require.NoError(t, json.Unmarshal([]byte(k.kubectl.Run(t, "get", "-k", folder(t, folderName), "--show-managed-fields", "-o", "json")), &list))
	for i := range list.Items {
		object := &list.Items[i]
		delete(object.Object, "status")
		object.SetResourceVersion("")
		object.SetManagedFields(slices.DeleteFunc(object.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
			return entry.Subresource == "status"
		}))
	}
	return list.Items
}

// requireAdmitted creates a pod from an object's template. kube-apiserver checks
// it against the pod security standard of the namespace.
func (k *kubeAPIServer) requireAdmitted(t *testing.T, object *unstructured.Unstructured) {
	t.Helper()
	template := podTemplate(t, object)
	if template == nil {
		return
	}
	// No controller creates the default service account of the namespace.
	template.Spec.ServiceAccountName = "flowcontrol-apiserver"
	var warnings bytes.Buffer
	config := *k.config
	config.WarningHandler = rest.NewWarningWriter(&warnings, rest.WarningWriterOptions{})
	client, err := kubernetes.NewForConfig(&config)
	require.NoError(t, err)
	_, err = client.CoreV1().Pods(object.GetNamespace()).Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "of-" + object.GetName(), Labels: template.Labels},
		Spec:       template.Spec,
	}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	require.NoError(t, err)
	require.Empty(t, warnings.String())
}

// podTemplate returns the pod template of a workload, with its claims as volumes,
// or nil.
func podTemplate(t *testing.T, object *unstructured.Unstructured) *corev1.PodTemplateSpec {
	t.Helper()
	one := []*unstructured.Unstructured{object}
	switch object.GetKind() {
	case "Deployment":
		return &find[appsv1.Deployment](t, one, "Deployment", object.GetName()).Spec.Template
	case "StatefulSet":
		set := find[appsv1.StatefulSet](t, one, "StatefulSet", object.GetName())
		for _, claim := range set.Spec.VolumeClaimTemplates {
			set.Spec.Template.Spec.Volumes = append(set.Spec.Template.Spec.Volumes, corev1.Volume{Name: claim.Name})
		}
		return &set.Spec.Template
	case "Job":
		return &find[batchv1.Job](t, one, "Job", object.GetName()).Spec.Template
	case "CronJob":
		return &find[batchv1.CronJob](t, one, "CronJob", object.GetName()).Spec.JobTemplate.Spec.Template
	}
	return nil
}

// kubeAPIServer is a kube-apiserver without controllers or nodes: it stores
// objects and runs nothing.
type kubeAPIServer struct {
	kubeconfig string
	config     *rest.Config
	client     kubernetes.Interface
	kubectl    *harness.Kubectl
}

func startKubeAPIServer(t *testing.T) *kubeAPIServer {
	t.Helper()
	etcd := harness.StartEtcd(t, harness.EtcdOptions{})
	running := harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{Etcd: etcd})
	config := running.Config(t)
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return &kubeAPIServer{kubeconfig: running.Kubeconfig, config: config, client: client, kubectl: running.Kubectl(t)}
}
