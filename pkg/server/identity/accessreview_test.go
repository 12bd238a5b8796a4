package identity

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
)

// decides is an authorizer that decides all alike and keeps the last question.
type decides struct {
	authorizer.Authorizer // in k8s.io 0.37 it has more methods
	decision              authorizer.Decision
	err                   error
	asked                 authorizer.Attributes
}

func (d *decides) Authorize(_ context.Context, asked authorizer.Attributes) (authorizer.Decision, string, error) {
	d.asked = asked
	return d.decision, "because", d.err
}

func review(resource *authorizationv1.ResourceAttributes, path *authorizationv1.NonResourceAttributes) *authorizationv1.SelfSubjectAccessReview {
	return &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: resource, NonResourceAttributes: path}}
}

func TestAnAccessReviewSaysWhatTheAuthorizerDecides(t *testing.T) {
	alice := &user.DefaultInfo{Name: "alice"}
	for decision, want := range map[authorizer.Decision]authorizationv1.SubjectAccessReviewStatus{
		authorizer.DecisionAllow:     {Allowed: true, Reason: "because"},
		authorizer.DecisionDeny:      {Denied: true, Reason: "because"},
		authorizer.DecisionNoOpinion: {Reason: "because"},
	} {
		question := review(nil, &authorizationv1.NonResourceAttributes{Path: "/metrics", Verb: "post"})
		answered := create(t, accessReviews(&decides{decision: decision}), alice, question).(*authorizationv1.SelfSubjectAccessReview)
		require.Equal(t, want, answered.Status)
	}
	failed := create(t, accessReviews(&decides{decision: authorizer.DecisionNoOpinion, err: errors.New("away")}), alice,
		review(nil, &authorizationv1.NonResourceAttributes{Path: "/", Verb: "get"})).(*authorizationv1.SelfSubjectAccessReview)
	require.Equal(t, authorizationv1.SubjectAccessReviewStatus{Reason: "because", EvaluationError: "away"}, failed.Status)
}

func TestAnAccessReviewAsksAboutAllThatItNames(t *testing.T) {
	alice, asked := &user.DefaultInfo{Name: "alice", Groups: []string{"team"}}, &decides{}
	create(t, accessReviews(asked), alice, review(&authorizationv1.ResourceAttributes{
		Namespace: "n", Verb: "update", Group: "flowcontrol.apiserver.k8s.io", Version: "v1", Resource: "flowschemas", Subresource: "status", Name: "a",
	}, nil))
	require.Equal(t, authorizer.AttributesRecord{
		User: alice, Verb: "update", Namespace: "n", APIGroup: "flowcontrol.apiserver.k8s.io", APIVersion: "v1",
		Resource: "flowschemas", Subresource: "status", Name: "a", ResourceRequest: true,
	}, asked.asked)
	create(t, accessReviews(asked), alice, review(nil, &authorizationv1.NonResourceAttributes{Path: "/metrics", Verb: "post"}))
	require.Equal(t, authorizer.AttributesRecord{User: alice, Verb: "post", Path: "/metrics"}, asked.asked)
}

// A question without its selector is wider, so that its answer is not too generous.
func TestAnAccessReviewDropsSelectors(t *testing.T) {
	asked := &decides{}
	question := review(&authorizationv1.ResourceAttributes{
		Verb: "list", Resource: "flowschemas", FieldSelector: &authorizationv1.FieldSelectorAttributes{RawSelector: "a=b"}, LabelSelector: &authorizationv1.LabelSelectorAttributes{},
	}, nil)
	answered := create(t, accessReviews(asked), &user.DefaultInfo{Name: "alice"}, question).(*authorizationv1.SelfSubjectAccessReview)
	fields, err := asked.asked.GetFieldSelector()
	require.NoError(t, err)
	require.Empty(t, fields)
	require.Equal(t, authorizationv1.ResourceAttributes{Verb: "list", Resource: "flowschemas"}, *answered.Spec.ResourceAttributes)
}

func TestAQuestionThatIsNotAdmittedOrInvalidIsNotAnswered(t *testing.T) {
	ctx := request.WithUser(t.Context(), &user.DefaultInfo{Name: "alice"})
	denied := errors.New("not admitted")
	deny := func(context.Context, runtime.Object) error { return denied }
	path := &authorizationv1.NonResourceAttributes{Path: "/", Verb: "get"}
	for _, test := range []struct {
		storage reviewStorage
		object  runtime.Object
	}{
		{subjectReviews(), subjectReviews().New()},
		{accessReviews(&decides{}), review(nil, path)},
		{rulesReviews(nil), &authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: "default"}}},
	} {
		_, err := test.storage.Create(ctx, test.object, deny, &metav1.CreateOptions{})
		require.ErrorIs(t, err, denied)
		_, err = test.storage.Create(t.Context(), test.object, nil, &metav1.CreateOptions{})
		require.True(t, apierrors.IsBadRequest(err), "%v", err)
	}
	for _, question := range []*authorizationv1.SelfSubjectAccessReview{review(nil, nil), review(&authorizationv1.ResourceAttributes{}, path)} {
		_, err := accessReviews(&decides{}).Create(ctx, question, nil, &metav1.CreateOptions{})
		require.True(t, apierrors.IsInvalid(err), "%v", err)
	}
}

func TestASubjectReviewSaysAllAboutTheClient(t *testing.T) {
	who := &user.DefaultInfo{Name: "alice", UID: "1", Groups: []string{"a", "b"}, Extra: map[string][]string{"scopes": {"x", "y"}}}
	answered := create(t, subjectReviews(), who, subjectReviews().New()).(*authenticationv1.SelfSubjectReview)
	require.Equal(t, authenticationv1.UserInfo{
		Username: "alice", UID: "1", Groups: []string{"a", "b"}, Extra: map[string]authenticationv1.ExtraValue{"scopes": {"x", "y"}},
	}, answered.Status.UserInfo)
}

func TestReviewsThatAreNotEnabledAreNotServed(t *testing.T) {
	enabled := serverstorage.NewResourceConfig()
	enabled.EnableVersions(SelfReviewVersions()...)
	enabled.DisableVersions(authenticationv1.SchemeGroupVersion)
	enabled.DisableResources(authorizationv1.SchemeGroupVersion.WithResource("selfsubjectrulesreviews"))
	groups, err := SelfReviewGroups(enabled, &decides{}, nil)
	require.NoError(t, err)
	require.Len(t, groups, 1)
	served := groups[0].VersionedResourcesStorageMap["v1"]
	require.Contains(t, served, "selfsubjectaccessreviews")
	require.Len(t, served, 1)
}
