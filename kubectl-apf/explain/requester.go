package explain

import (
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
)

// requester returns the user with completed groups, see the package comment.
func requester(name string, groups []string) (user.Info, []string) {
	var notes []string
	groups = slices.Clone(groups)
	if namespace, _, err := serviceaccount.SplitUsername(name); err == nil && len(groups) == 0 {
		groups = serviceaccount.MakeGroupNames(namespace)
	}
	if strings.HasPrefix(name, "system:node:") && !slices.Contains(groups, user.NodesGroup) {
		notes = append(notes, "The user has the name of a node and is not in the group system:nodes; a kubelet is: add --as-group=system:nodes.")
	}
	either := func(group string) bool { return group == user.AllAuthenticated || group == user.AllUnauthenticated }
	switch {
	case name == user.Anonymous:
		if !slices.Contains(groups, user.AllUnauthenticated) {
			groups = append(groups, user.AllUnauthenticated)
		}
	case !slices.ContainsFunc(groups, either):
		groups = append(groups, user.AllAuthenticated)
	}
	return &user.DefaultInfo{Name: name, Groups: groups}, notes
}
