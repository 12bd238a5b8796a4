//go:build k8s0.37

package identity

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// Authorizers may answer with conditions since k8s.io 0.37. This test moves out of this folder
// when go.mod requires that release.

// conditional allows what has the label.
type conditional struct{ authorizer.AuthorizerFunc }

func (conditional) ConditionsAwareAuthorize(context.Context, authorizer.Attributes) authorizer.ConditionsAwareDecision {
	return authorizer.ConditionsAwareDecisionConditionsMap(nil, nil, []authorizer.Condition{
		authorizer.GenericCondition{ID: "labelled", Condition: "has(object.metadata.labels)", Type: "k8s.io/authorization-cel"},
	})
}

func TestConditionsPassOurAuthorizersAndAreNotAPermission(t *testing.T) {
	inner := conditional{func(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
		return authorizer.DecisionNoOpinion, "", nil // as to those who do not know conditions
	}}
	alice := &user.DefaultInfo{Name: "alice", Groups: []string{user.AllAuthenticated}}
	attributes := authorizer.AttributesRecord{User: alice, Verb: "create", ResourceRequest: true, APIGroup: "flowcontrol.apiserver.k8s.io", Resource: "flowschemas"}

	decides, err := newAuthorizerUnion(namedAuthorizer{"conditional", inner})
	require.NoError(t, err)
	local := localAuthorizer{Authorizer: decides}
	decision := local.ConditionsAwareAuthorize(t.Context(), attributes)
	require.False(t, decision.IsUnconditional(), "%s", decision)
	unconditional, _, err := local.Authorize(t.Context(), attributes)
	require.NoError(t, err)
	require.Equal(t, authorizer.DecisionNoOpinion, unconditional)

	// The library asks kube-apiserver in front without conditions, so that none is lost here.
	delegated := authorizer.AuthorizerFunc((&delegatedAuthorizer{users: inner}).Authorize)
	decision = delegated.ConditionsAwareAuthorize(t.Context(), attributes)
	require.True(t, decision.IsUnconditional() && decision.IsNoOpinion(), "%s", decision)
	evaluated, _, err := delegated.EvaluateConditions(t.Context(), decision, nil)
	require.Equal(t, authorizer.DecisionDeny, evaluated)
	require.ErrorIs(t, err, authorizer.ErrorConditionEvaluationNotSupported)
}
