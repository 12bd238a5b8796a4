//go:build long

package commands_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// objects are the objects in testdata/objects.yaml.
type objects struct {
	client dynamic.Interface
	all    []*unstructured.Unstructured
}

func readObjects(t *testing.T, client dynamic.Interface) *objects {
	t.Helper()
	text, err := os.ReadFile("testdata/objects.yaml")
	require.NoError(t, err)
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(strings.ReplaceAll(string(text), "REQUEST", certificateRequest(t))), 4096)
	o := &objects{client: client}
	for {
		one := &unstructured.Unstructured{}
		err := decoder.Decode(&one.Object)
		if errors.Is(err, io.EOF) {
			return o
		}
		require.NoError(t, err)
		if len(one.Object) > 0 {
			o.all = append(o.all, one)
		}
	}
}

// certificateRequest returns a request for a certificate, in base64.
func certificateRequest(t *testing.T) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	request, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: "web"}}, key)
	require.NoError(t, err)
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: request}))
}

// of returns the client of an object's resource.
func (o *objects) of(one *unstructured.Unstructured) dynamic.ResourceInterface {
	resource, _ := meta.UnsafeGuessKindToResource(one.GroupVersionKind())
	switch one.GetKind() {
	case "Node", "Namespace", "CertificateSigningRequest":
		return o.client.Resource(resource)
	default:
		return o.client.Resource(resource).Namespace("default")
	}
}

// isKept reports whether an object always exists: that which pods need.
func isKept(one *unstructured.Unstructured) bool { return one.GetKind() == "ServiceAccount" }

// removeAll removes the objects, and objects that commands created.
func (o *objects) removeAll(t *testing.T) {
	t.Helper()
	for _, one := range o.all {
		if isKept(one) {
			continue
		}
		list, err := o.of(one).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		for i := range list.Items {
			switch name := list.Items[i].GetName(); {
			case one.GetKind() == "Service" && name == "kubernetes", one.GetKind() == "ConfigMap" && name == "kube-root-ca.crt":
			case one.GetKind() == "Namespace" && name != "shop" && name != "new":
			default:
				o.remove(t, &list.Items[i])
			}
		}
	}
}

// remove removes an object whatever protects it.
func (o *objects) remove(t *testing.T, one *unstructured.Unstructured) {
	t.Helper()
	none := int64(0)
	err := o.of(one).Delete(t.Context(), one.GetName(), metav1.DeleteOptions{GracePeriodSeconds: &none})
	if !apierrors.IsNotFound(err) {
		require.NoError(t, err)
	}
	o.release(t.Context(), one)
	eventually.Holds(t, one.GetKind()+" "+one.GetName()+" is gone", func(a *eventually.Attempt) {
		_, err := o.of(one).Get(a.Context(), one.GetName(), metav1.GetOptions{})
		require.True(a, apierrors.IsNotFound(err))
	})
}

// release removes the finalizers of an object.
func (o *objects) release(ctx context.Context, one *unstructured.Unstructured) {
	_, _ = o.of(one).Patch(ctx, one.GetName(), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	if one.GetKind() == "Namespace" {
		body := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": one.GetName()}, "spec": map[string]any{}}}
		_, _ = o.of(one).Update(ctx, body, metav1.UpdateOptions{}, "finalize")
	}
}

// createAll creates the objects. With held, deleted ones remain until they are released.
func (o *objects) createAll(t *testing.T, held bool) {
	t.Helper()
	deployment := ""
	for _, one := range o.all {
		one = one.DeepCopy()
		if owners := one.GetOwnerReferences(); len(owners) > 0 && owners[0].Kind == "Deployment" {
			owners[0].UID = types.UID(deployment)
			one.SetOwnerReferences(owners)
		}
		if held {
			one.SetFinalizers([]string{"example.com/held"})
		}
		created, err := o.of(one).Create(t.Context(), one, metav1.CreateOptions{})
		if isKept(one) && apierrors.IsAlreadyExists(err) {
			continue
		}
		require.NoError(t, err)
		switch {
		case one.GetKind() == "Deployment" && one.GetName() == "web":
			deployment = string(created.GetUID())
		case one.GetKind() == "Pod":
			_, err := o.of(one).Patch(t.Context(), one.GetName(), types.MergePatchType, []byte(`{"status":{"phase":"Running"}}`), metav1.PatchOptions{}, "status")
			require.NoError(t, err)
		}
	}
}

// createKept creates the objects that always exist.
func (o *objects) createKept(t *testing.T) {
	t.Helper()
	for _, one := range o.all {
		if isKept(one) {
			if _, err := o.of(one).Create(t.Context(), one, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
				require.NoError(t, err)
			}
		}
	}
}

// reach makes happen what commands wait for with objects of a name: with deleted, pods are
// deleted; otherwise held objects are released, and deployments are available.
func (o *objects) reach(ctx context.Context, name string, deleted bool) {
	status := []byte(`{"status":{"observedGeneration":100,"updatedReplicas":1,"replicas":1,"readyReplicas":1,"availableReplicas":1,
		"conditions":[{"type":"Available","status":"True"}]}}`)
	for _, one := range o.all {
		if one.GetName() != name {
			continue
		}
		switch {
		case one.GetKind() == "Pod" && deleted:
			_ = o.of(one).Delete(ctx, one.GetName(), metav1.DeleteOptions{})
		case one.GetKind() == "Deployment":
			_, _ = o.of(one).Patch(ctx, one.GetName(), types.MergePatchType, status, metav1.PatchOptions{}, "status")
		}
		if one.GetKind() != "Namespace" {
			o.release(ctx, one)
		}
	}
}
