package rbacfile

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// FuzzRoles checks that no file makes its reader or its decisions panic, and that an
// accepted one permits nothing to a user whom it does not name.
func FuzzRoles(f *testing.F) {
	f.Add(teamA)
	f.Add(role + "rules:\n- {apiGroups: ['*'], resources: ['*/status'], verbs: ['*']}\n---\n")
	f.Add("--- # comment\n" + role + "aggregationRule: {clusterRoleSelectors: []}\n")
	nobody := &user.DefaultInfo{Name: "\x00nobody"}
	f.Fuzz(func(t *testing.T, content string) {
		found, err := decode([]byte(content))
		if err != nil || strings.Contains(content, "nobody") {
			return
		}
		a := &Authorizer{}
		a.current.Store(newPolicy(found))
		attributes := resource("list", "flowschemas", "", "")
		attributes.User = nobody
		decision, _, err := a.Authorize(t.Context(), attributes)
		require.NoError(t, err)
		require.Equal(t, authorizer.DecisionNoOpinion, decision)
	})
}
