package artifacts

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"
)

const (
	byCertManager         = "certificates/cert-manager"
	byCertManagerWithEtcd = "certificates/cert-manager-etcd"
)

func TestCertManagerInjectsTheCAOfTheServingCertificate(t *testing.T) {
	for _, version := range []string{"v1", "v1beta3"} {
		t.Run("artifacts/registration/"+version, func(t *testing.T) { requireTrusted(t, render(t, "registration/"+version)) })
	}
}

func isStatefulSet(object *unstructured.Unstructured) bool { return object.GetKind() == "StatefulSet" }

func secretsMounted(t *testing.T, objects []*unstructured.Unstructured) sets.Set[string] {
	t.Helper()
	volumes := server(t, objects).Spec.Template.Spec.Volumes
	if slices.ContainsFunc(objects, isStatefulSet) {
		volumes = append(volumes, find[appsv1.StatefulSet](t, objects, "StatefulSet", "flowcontrol-etcd").Spec.Template.Spec.Volumes...)
	}
	mounted := sets.New[string]()
	for _, volume := range volumes {
		require.NotNil(t, volume.Secret, volume.Name)
		mounted.Insert(volume.Secret.SecretName)
	}
	return mounted
}

func secretsMade(t *testing.T, folder string) []string {
	t.Helper()
	var made []string
	for _, object := range render(t, folder) {
		if object.GetKind() == "Certificate" {
			made = append(made, text(t, object, "spec", "secretName"))
		}
	}
	return made
}

// requireTrusted checks that cert-manager injects into each APIService the CA
// bundle of the serving certificate, and that the certificate is for its Service.
func requireTrusted(t *testing.T, objects []*unstructured.Unstructured) {
	t.Helper()
	certificates := render(t, byCertManager)
	services := 0
	for _, object := range objects {
		if object.GetKind() != "APIService" {
			continue
		}
		services++
		from := object.GetAnnotations()["cert-manager.io/inject-ca-from"]
		at := slices.IndexFunc(certificates, func(made *unstructured.Unstructured) bool {
			return made.GetKind() == "Certificate" && made.GetNamespace()+"/"+made.GetName() == from
		})
		require.NotEqual(t, -1, at, from)
		require.Equal(t, "flowcontrol-apiserver-serving", text(t, certificates[at], "spec", "secretName"))
		names, _, err := unstructured.NestedStringSlice(certificates[at].Object, "spec", "dnsNames")
		require.NoError(t, err)
		require.Contains(t, names, text(t, object, "spec", "service", "name")+"."+text(t, object, "spec", "service", "namespace")+".svc")
	}
	require.NotZero(t, services)
}

func text(t *testing.T, object *unstructured.Unstructured, fields ...string) string {
	t.Helper()
	text, _, err := unstructured.NestedString(object.Object, fields...)
	require.NoError(t, err)
	require.NotEmpty(t, text, "%s %s: %v", object.GetKind(), object.GetName(), fields)
	return text
}
