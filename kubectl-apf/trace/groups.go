package trace

import (
	"strings"

	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
)

// WellKnownGroups returns the groups that the name of a user implies: the groups of service
// accounts, nodes and the anonymous user, and system:authenticated for all others. Users may be in
// further groups.
func WellKnownGroups(name string) []string {
	if name == user.Anonymous {
		return []string{user.AllUnauthenticated}
	}
	var groups []string
	if namespace, _, err := serviceaccount.SplitUsername(name); err == nil {
		groups = serviceaccount.MakeGroupNames(namespace)
	} else if strings.HasPrefix(name, "system:node:") {
		groups = []string{user.NodesGroup}
	}
	return append(groups, user.AllAuthenticated)
}
