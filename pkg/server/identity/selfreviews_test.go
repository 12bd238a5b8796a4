package identity

import (
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// TestTheListOfWhatAUserMayDoIsTrue asks about each rule that a review lists: the same
// authorizer must allow it.
func TestTheListOfWhatAUserMayDoIsTrue(t *testing.T) {
	roles := writeFile(t, "roles.yaml", `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
rules:
- {apiGroups: [flowcontrol.apiserver.k8s.io], resources: [flowschemas], resourceNames: [a], verbs: [get, watch]}
- {nonResourceURLs: [/metrics], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: alice}]
`)
	applied, err := apply(t, newTestOptions(t, "--authorization-rbac-file="+roles), "")
	require.NoError(t, err)
	authorizes := applied.authorization.Authorizer
	for who, count := range map[*user.DefaultInfo][2]int{
		{Name: "alice", Groups: []string{user.AllAuthenticated}}:                            {3, 4},
		{Name: "bob", Groups: []string{user.AllAuthenticated}}:                              {2, 3},
		{Name: "root", Groups: []string{user.SystemPrivilegedGroup, user.AllAuthenticated}}: {3, 4},
		{Name: user.Anonymous, Groups: []string{user.AllUnauthenticated}}:                   {0, 2},
	} {
		status := rulesOf(t, authorizes, who)
		require.False(t, status.Incomplete)
		require.Empty(t, status.EvaluationError)
		require.Len(t, status.ResourceRules, count[0], who.Name)
		require.Len(t, status.NonResourceRules, count[1], who.Name)
		for _, rule := range status.ResourceRules {
			attributes := authorizer.AttributesRecord{User: who, Verb: rule.Verbs[0], APIGroup: rule.APIGroups[0], Resource: rule.Resources[0], ResourceRequest: true}
			if len(rule.ResourceNames) > 0 {
				attributes.Name = rule.ResourceNames[0]
			}
			requireAllowed(t, authorizes, attributes)
		}
		for _, rule := range status.NonResourceRules {
			requireAllowed(t, authorizes, authorizer.AttributesRecord{User: who, Verb: rule.Verbs[0], Path: rule.NonResourceURLs[0]})
		}
	}
}

func TestTheListIsIncompleteWithAWebhook(t *testing.T) {
	applied, err := apply(t, newTestOptions(t, "--authorization-webhook-config-file="+newReviewer(t).kubeconfig(t)), "")
	require.NoError(t, err)
	status := rulesOf(t, applied.authorization.Authorizer, &user.DefaultInfo{Name: "alice", Groups: []string{user.AllAuthenticated}})
	require.True(t, status.Incomplete)
	require.Equal(t, "webhook authorizer does not support user rule resolution", status.EvaluationError)
	require.Len(t, status.ResourceRules, 2, "the self-reviews")
}

func requireAllowed(t *testing.T, authorizes authorizer.Authorizer, attributes authorizer.AttributesRecord) {
	t.Helper()
	decision, reason, err := authorizes.Authorize(t.Context(), attributes)
	require.NoError(t, err)
	require.Equal(t, authorizer.DecisionAllow, decision, "%s: %+v", reason, attributes)
}

func rulesOf(t *testing.T, authorizes authorizer.Authorizer, who user.Info) authorizationv1.SubjectRulesReviewStatus {
	t.Helper()
	rules, ok := authorizes.(authorizer.RuleResolver)
	require.True(t, ok)
	return create(t, rulesReviews(rules), who, &authorizationv1.SelfSubjectRulesReview{
		Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: "default"},
	}).(*authorizationv1.SelfSubjectRulesReview).Status
}

func create(t *testing.T, storage reviewStorage, who user.Info, object runtime.Object) runtime.Object {
	t.Helper()
	answer, err := storage.Create(request.WithUser(t.Context(), who), object, nil, &metav1.CreateOptions{})
	require.NoError(t, err)
	return answer
}
