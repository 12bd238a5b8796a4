package servingca

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/cert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// apiServices are the registrations of this server's versions with kube-apiserver.
type apiServices struct {
	client  dynamic.Interface
	service types.NamespacedName
}

// registration is an APIService that names the Service, as it was read.
type registration struct {
	object *unstructured.Unstructured
	bundle []*x509.Certificate
}

func (s apiServices) resource() dynamic.ResourceInterface {
	return s.client.Resource(schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"})
}

// read returns the registrations. It skips APIServices that check no certificate.
func (s apiServices) read(ctx context.Context) (all []registration, failed error) {
	for _, version := range []string{flowcontrolv1.SchemeGroupVersion.Version, flowcontrolv1beta3.SchemeGroupVersion.Version} {
		name := version + "." + flowcontrol.GroupName
		object, err := s.resource().Get(ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			failed = errors.Join(failed, explain(err, "get", "APIService "+name))
		case s.isOurs(object):
			all = append(all, registration{object, bundleOf(object)})
		}
	}
	return all, failed
}

func (s apiServices) isOurs(object *unstructured.Unstructured) bool {
	text := func(fields ...string) string {
		value, _, _ := unstructured.NestedString(object.Object, fields...)
		return value
	}
	unchecked, _, _ := unstructured.NestedBool(object.Object, "spec", "insecureSkipTLSVerify")
	return !unchecked && text("spec", "service", "namespace") == s.service.Namespace && text("spec", "service", "name") == s.service.Name
}

// bundleOf returns the certificates of caBundle, none if it has no valid ones.
func bundleOf(object *unstructured.Unstructured) []*x509.Certificate {
	encoded, _, _ := unstructured.NestedString(object.Object, "spec", "caBundle")
	content, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil
	}
	certificates, err := cert.ParseCertsPEM(content)
	if err != nil {
		return nil
	}
	return certificates
}

// add adds the bundle to the registrations that lack some of it. An APIService that has changed since
// it was read is a conflict.
func (s apiServices) add(ctx context.Context, all []registration, bundle []*x509.Certificate, now time.Time) (failed error) {
	for _, registered := range all {
		if contains(registered.bundle, bundle) {
			continue
		}
		content, err := cert.EncodeCertificates(merged(bundle, registered.bundle, now)...)
		if err == nil {
			err = unstructured.SetNestedField(registered.object.Object, base64.StdEncoding.EncodeToString(content), "spec", "caBundle")
		}
		if err == nil {
			_, err = s.resource().Update(ctx, registered.object, metav1.UpdateOptions{FieldManager: "flowcontrol-apiserver"})
		}
		if err != nil {
			failed = errors.Join(failed, explain(err, "update", "APIService "+registered.object.GetName()))
		}
	}
	return failed
}

// explain says which permission is missing, if one is.
func explain(err error, verb, object string) error {
	if apierrors.IsForbidden(err) {
		return fmt.Errorf("this server is not allowed to %s the %s: grant it that, as artifacts/base/rbac.yaml does: %w", verb, object, err)
	}
	return fmt.Errorf("%s: %w", object, err)
}
