package command

import (
	"context"
	"errors"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"
)

// whoAmI returns the user of the kubeconfig, as the server sees them.
func (l *commonFlags) whoAmI(ctx context.Context) (name string, groups []string, err error) {
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
		return "", nil, errors.New("the server does not report your user name: name the user of the request with --as, and their groups with --as-group")
	default:
		return "", nil, fmt.Errorf("asking the server who you are: %w", err)
	}
}
