package command

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"
	"k8s.io/client-go/rest"
)

// whoAmI returns the user of the kubeconfig, as the server sees them. A server without
// SelfSubjectReviews, such as flowcontrol-apiserver alone, does not tell; then the
// client certificate does.
func (l *looking) whoAmI(ctx context.Context) (name string, groups []string, err error) {
	config, err := l.cluster.ToRESTConfig()
	if err != nil {
		return "", nil, err
	}
	client, err := authenticationclient.NewForConfig(config)
	if err != nil {
		return "", nil, err
	}
	review, err := client.SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	switch {
	case err == nil:
		return review.Status.UserInfo.Username, review.Status.UserInfo.Groups, nil
	case apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || apierrors.IsMethodNotSupported(err):
		return certificateUser(config)
	default:
		return "", nil, fmt.Errorf("asking the server who you are: %w", err)
	}
}

// certificateUser returns the user of the client certificate.
func certificateUser(config *rest.Config) (name string, groups []string, err error) {
	if err := rest.LoadTLSFiles(config); err != nil {
		return "", nil, err
	}
	block, _ := pem.Decode(config.CertData)
	if block == nil {
		return "", nil, errors.New("the server does not tell who you are: name the user of the request with --as, and their groups with --as-group")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return "", nil, fmt.Errorf("the client certificate of the kubeconfig: %w", err)
	}
	return certificate.Subject.CommonName, certificate.Subject.Organization, nil
}
