//go:build long

package artifacts

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// helmTemplate returns the objects of the chart, or what helm said.
func helmTemplate(t *testing.T, args ...string) ([]*unstructured.Unstructured, string) {
	t.Helper()
	helm := harness.Program(t, binaries.Helm)
	command := exec.CommandContext(t.Context(), helm, append([]string{"template", "release", folder(t, "chart"), "--namespace", namespace}, args...)...)
	var failure strings.Builder
	command.Stderr = &failure
	rendered, err := command.Output()
	if err != nil {
		return nil, failure.String()
	}
	return decode(t, string(rendered)), ""
}

// asJSON returns the objects without their order, for comparisons.
func asJSON(t *testing.T, objects []*unstructured.Unstructured) []string {
	t.Helper()
	var texts []string
	for _, object := range objects {
		text, err := json.MarshalIndent(object.Object, "", " ")
		require.NoError(t, err)
		texts = append(texts, string(text))
	}
	slices.Sort(texts)
	return texts
}

// TestChartIsTheKustomizations: with the values that say the same, helm makes the objects
// that kubectl makes. The namespace is the release's, which helm creates itself.
func TestChartIsTheKustomizations(t *testing.T) {
	for name, test := range map[string]struct {
		kustomizations []string
		values         []string
	}{
		"the defaults are own-etcd":     {[]string{"overlays/own-etcd"}, nil},
		"an existing etcd":              {[]string{"overlays/external-etcd"}, []string{"--set=etcd.mode=external", "--set=etcd.servers={https://etcd.etcd.svc:2379}"}},
		"the etcd of kubeadm":           {[]string{"overlays/v1beta3-beside"}, []string{"--set=etcd.mode=kubeadm"}},
		"no flow control in front":      {[]string{"overlays/flow-control-off"}, []string{"--set=flowSchemas=false"}},
		"cert-manager, with etcd":       {[]string{withFiles(t, "overlays/own-etcd"), byCertManagerWithEtcd}, []string{"--set=certManager=true"}},
		"cert-manager, an existing one": {[]string{withFiles(t, "overlays/v1beta3-beside"), byCertManager}, []string{"--set=etcd.mode=kubeadm", "--set=certManager=true"}},
		"a certificate in files":        {[]string{withFiles(t, "overlays/own-etcd")}, []string{"--set=certificateFiles=true"}},
		"monitoring":                    {[]string{"overlays/own-etcd", "monitoring"}, []string{"--set=monitoring=true"}},
	} {
		t.Run(name, func(t *testing.T) {
			var want []*unstructured.Unstructured
			for _, kustomization := range test.kustomizations {
				want = append(want, slices.DeleteFunc(render(t, kustomization), func(object *unstructured.Unstructured) bool { return object.GetKind() == "Namespace" })...)
			}
			got, failure := helmTemplate(t, test.values...)
			require.Empty(t, failure)
			require.Equal(t, asJSON(t, want), asJSON(t, got))
		})
	}
}

// TestChartIsLinted lets Helm judge the chart, with each kind of values.
func TestChartIsLinted(t *testing.T) {
	for _, set := range []string{"replicas=3", "etcd.mode=external,etcd.servers={https://etcd.etcd.svc:2379}", "etcd.mode=kubeadm", "certManager=true,monitoring=true"} {
		output, err := exec.CommandContext(t.Context(), harness.Program(t, binaries.Helm), "lint", "--strict", folder(t, "chart"), "--set="+set).CombinedOutput()
		require.NoError(t, err, "%s: %s", set, output)
		require.NotContains(t, string(output), "[INFO]", "Helm recommends something")
	}
}

// withFiles adds components/certificate-files to an overlay, and returns the folder of both.
func withFiles(t *testing.T, overlay string) string {
	t.Helper()
	name := strings.ReplaceAll(overlay, "/", "-") + "-with-files"
	require.NoError(t, os.MkdirAll(folder(t, name), 0o755))
	content := "resources: [../" + overlay + "]\ncomponents: [../components/certificate-files]\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder(t, name), "kustomization.yaml"), []byte(content), 0o644))
	return name
}

func TestChartTakesItsValues(t *testing.T) {
	objects, failure := helmTemplate(t, "--namespace=elsewhere", "--set=image=registry.example/server@sha256:"+strings.Repeat("0a", 32),
		"--set=replicas=5", "--set=resources.limits.memory=2Gi", "--set=goMemLimit=1800MiB", "--set=args={--v=2,--goaway-chance=0}",
		"--set=etcd.image=registry.example/etcd:v1", "--set=etcd.storage=9Gi", "--set=etcd.storageClass=fast",
		"--set=etcd.snapshots.schedule=@daily", "--set=etcd.snapshots.retain=7", "--set=etcd.snapshots.storage=8Gi")
	require.Empty(t, failure)
	for _, object := range objects {
		assert.NotContains(t, strings.Join(asJSON(t, []*unstructured.Unstructured{object}), ""), namespace, object.GetName())
	}
	deployment := server(t, objects)
	container := deployment.Spec.Template.Spec.Containers[0]
	assert.EqualValues(t, 5, *deployment.Spec.Replicas)
	assert.Equal(t, "registry.example/server@sha256:"+strings.Repeat("0a", 32), container.Image)
	assert.Equal(t, "2Gi", container.Resources.Limits.Memory().String())
	assert.Equal(t, []string{"--v=2", "--goaway-chance=0"}, container.Args[len(container.Args)-2:])
	assert.Contains(t, container.Env, corev1.EnvVar{Name: "GOMEMLIMIT", Value: "1800MiB"})
	set := find[appsv1.StatefulSet](t, objects, "StatefulSet", "flowcontrol-etcd")
	assert.Equal(t, "registry.example/etcd:v1", set.Spec.Template.Spec.Containers[0].Image)
	claim := set.Spec.VolumeClaimTemplates[0].Spec
	assert.Equal(t, "9Gi", claim.Resources.Requests.Storage().String())
	assert.Equal(t, "fast", *claim.StorageClassName)
	snapshots := find[batchv1.CronJob](t, objects, "CronJob", "flowcontrol-etcd-snapshot").Spec
	assert.Equal(t, "@daily", snapshots.Schedule)
	container = snapshots.JobTemplate.Spec.Template.Spec.Containers[0]
	assert.Equal(t, "registry.example/server@sha256:"+strings.Repeat("0a", 32), container.Image)
	assert.Contains(t, container.Args, "--etcd-snapshot-retain=7")
	volume := find[corev1.PersistentVolumeClaim](t, objects, "PersistentVolumeClaim", "flowcontrol-etcd-snapshots").Spec
	assert.Equal(t, "8Gi", volume.Resources.Requests.Storage().String())
	assert.Equal(t, "fast", *volume.StorageClassName)
	binding := find[rbacv1.RoleBinding](t, objects, "RoleBinding", "flowcontrol-apiserver:authentication-reader")
	assert.Equal(t, "kube-system", binding.Namespace)
}

func TestChartRejectsValuesThatDeployNothingThatWorks(t *testing.T) {
	for name, test := range map[string]struct{ set, says string }{
		"an etcd without address":        {"etcd.mode=external", "etcd.servers: name the members of the etcd"},
		"an unknown etcd":                {"etcd.mode=mine", "must be one of 'own', 'external', 'kubeadm'"},
		"a value that does not exist":    {"replicaCount=2", "replicaCount"},
		"no replica":                     {"replicas=0", "replicas"},
		"an image of any version":        {"image=registry.example/server", "image"},
		"an etcd of any version":         {"etcd.image=registry.example/etcd", "image"},
		"no snapshot is kept":            {"etcd.snapshots.retain=0", "retain"},
		"registration before a replica":  {"registration=true", "no replica of Deployment flowcontrol-system/flowcontrol-apiserver is ready, and nothing is registered"},
		"an argument that is not a flag": {"args={v=2}", "args"},
	} {
		t.Run(name, func(t *testing.T) {
			_, failure := helmTemplate(t, "--set="+test.set)
			assert.Contains(t, failure, test.says)
		})
	}
}

// TestChartRegistersLast installs the chart in a kube-apiserver, where no pod ever runs:
// the test plays kubelet and the server.
func TestChartRegistersLast(t *testing.T) {
	k := startKubeAPIServer(t)
	_, err := k.client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	require.NoError(t, err)
	helm := func(args ...string) (string, error) {
		program := harness.Program(t, binaries.Helm)
		output, err := exec.CommandContext(t.Context(), program, append(args, "--namespace="+namespace, "--kubeconfig="+k.kubeconfig)...).CombinedOutput()
		return string(output), err
	}
	registered := func() string {
		return k.kubectl.Run(t, "get", "apiservice", "v1beta3.flowcontrol.apiserver.k8s.io", "--ignore-not-found", "-o", "jsonpath={.spec.service.name} {.spec.caBundle}")
	}

	output, err := helm("install", "flowcontrol", folder(t, "chart"))
	require.NoError(t, err, output)
	require.Contains(t, output, "Nothing is registered with kube-apiserver yet")
	register := []string{"upgrade", "flowcontrol", folder(t, "chart"), "--reuse-values", "--set=registration=true"}
	output, err = helm(register...)
	require.Error(t, err)
	require.Contains(t, output, "no replica of Deployment flowcontrol-system/flowcontrol-apiserver is ready")

	k.kubectl.Run(t, "-n", namespace, "patch", "deployment", "flowcontrol-apiserver", "--subresource=status", "--type=merge", "-p", `{"status":{"replicas":1,"readyReplicas":1}}`)
	output, err = helm(register...)
	require.Error(t, err)
	require.Contains(t, output, "Secret flowcontrol-system/flowcontrol-apiserver-serving has no ca.crt")
	require.Empty(t, registered())

	k.kubectl.Run(t, "-n", namespace, "patch", "secret", "flowcontrol-apiserver-serving", "-p", `{"data":{"ca.crt":"YnVuZGxl"}}`)
	output, err = helm(register...)
	require.NoError(t, err, output)
	require.Equal(t, "flowcontrol-apiserver YnVuZGxl", registered())

	k.kubectl.Run(t, "-n", namespace, "patch", "deployment", "flowcontrol-apiserver", "--subresource=status", "--type=merge", "-p", `{"status":{"readyReplicas":0}}`)
	output, err = helm("upgrade", "flowcontrol", folder(t, "chart"), "--reuse-values", "--set=replicas=2")
	require.NoError(t, err, output)
	require.Equal(t, "flowcontrol-apiserver YnVuZGxl", registered(), "an upgrade in a bad moment keeps the registration")

	output, err = helm("uninstall", "flowcontrol")
	require.NoError(t, err, output)
	require.Empty(t, registered())
}
