package artifacts

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestOverlaysApplyAsTheyAre has the kube-apiserver that an overlay is for look at
// every field: one that it does not know is an error. Applied again, nothing
// changes.
func TestOverlaysApplyAsTheyAre(t *testing.T) {
	const off = "overlays/flow-control-off"
	native, without := startKubeAPIServer(t), startKubeAPIServer(t,
		"--enable-priority-and-fairness=false", "--runtime-config=flowcontrol.apiserver.k8s.io/v1=false")
	for _, overlay := range append(overlays(t), "prometheus") {
		t.Run("artifacts/"+overlay, func(t *testing.T) {
			kubectl := native
			if overlay == off {
				kubectl = without
			}
			requireApplies(t, kubectl, overlay)
			for _, object := range render(t, overlay) {
				requireAdmitted(t, kubectl, object)
			}
		})
	}
}

func requireApplies(t *testing.T, kubectl *harness.Kubectl, overlay string) {
	t.Helper()
	apply := []string{"apply", "--validate=strict", "-k", folder(t, overlay)}
	result := kubectl.Try(t, "", apply...)
	require.Zero(t, result.ExitCode, result.Stderr)
	require.Empty(t, result.Stderr, "a warning")

	// What kubectl says does not tell: "configured" may be an object that it merely
	// asked about.
	before := stored(t, kubectl, overlay)
	require.Len(t, before, len(render(t, overlay)))
	kubectl.Run(t, apply...)
	require.Equal(t, before, stored(t, kubectl, overlay))
}

// stored are the objects of a folder as kube-apiserver has them, but for what it
// writes at times of its own: their status, and the version with it.
func stored(t *testing.T, kubectl *harness.Kubectl, folderName string) []unstructured.Unstructured {
	t.Helper()
	var list unstructured.UnstructuredList
	require.NoError(t, json.Unmarshal([]byte(kubectl.Run(t, "get", "-k", folder(t, folderName), "--show-managed-fields", "-o", "json")), &list))
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

// requireAdmitted asks kube-apiserver to take a pod of an object's template, which
// it checks against the pod security standard that the namespace enforces.
func requireAdmitted(t *testing.T, kubectl *harness.Kubectl, object *unstructured.Unstructured) {
	t.Helper()
	template := podTemplate(t, object)
	if template == nil {
		return
	}
	// No controller made the namespace's default one.
	template.Spec.ServiceAccountName = "flowcontrol-apiserver"
	manifest, err := json.Marshal(corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: "of-" + object.GetName(), Namespace: object.GetNamespace(), Labels: template.Labels},
		Spec:       template.Spec,
	})
	require.NoError(t, err)
	result := kubectl.Try(t, string(manifest), "create", "--dry-run=server", "-f", "-")
	require.Zero(t, result.ExitCode, result.Stderr)
	require.Empty(t, result.Stderr)
}

// podTemplate returns the template of a workload, with its claims as volumes, or
// nil.
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
	}
	return nil
}

// startKubeAPIServer starts one that is the whole cluster: what it is given is
// kept, and nothing runs.
func startKubeAPIServer(t *testing.T, args ...string) *harness.Kubectl {
	t.Helper()
	etcd := harness.StartEtcd(t, harness.EtcdOptions{})
	return harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{Etcd: etcd, Args: args}).Kubectl(t)
}
