package lint

import (
	"fmt"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
)

// readSubject adds FC110 and FC111.
func (r *ruleReader) readSubject(subject *flowcontrolv1.Subject, field string) {
	switch {
	case subject.Kind == flowcontrolv1.SubjectKindUser && subject.User != nil:
		r.readUser(subject.User.Name, field+".user.name")
	case subject.Kind == flowcontrolv1.SubjectKindGroup && subject.Group != nil:
		r.readGroup(subject.Group.Name, field+".group.name")
	case subject.Kind == flowcontrolv1.SubjectKindServiceAccount && subject.ServiceAccount != nil:
		account := subject.ServiceAccount
		switch {
		case account.Namespace == wildcard:
			r.add(ImpossibleSubject, field+".serviceAccount.namespace", `The namespace of a service account is not a pattern, so "*" matches none.`,
				fmt.Sprintf("Use the group %q for the service accounts of all namespaces.", serviceaccount.AllServiceAccountsGroup))
		case account.Name != wildcard && strings.Contains(account.Name, wildcard):
			r.add(ImpossibleSubject, field+".serviceAccount.name", fmt.Sprintf("%q is not a pattern: names match as a whole.", account.Name),
				`List the service accounts, or write "*" alone for all of the namespace.`)
		default:
			r.readAccount(account.Namespace, account.Name, field+".serviceAccount")
		}
	}
}

func (r *ruleReader) readUser(name, field string) {
	account, isAccount := strings.CutPrefix(name, serviceaccount.ServiceAccountUsernamePrefix)
	namespace, accountName, _ := strings.Cut(account, ":")
	switch {
	case name == wildcard:
	case isAccount && accountName == wildcard:
		r.add(ImpossibleSubject, field, fmt.Sprintf("%q is not a pattern: names match as a whole.", name),
			fmt.Sprintf("Use the group %q.", serviceaccount.MakeNamespaceGroupName(namespace)))
	case strings.Contains(name, wildcard):
		r.add(ImpossibleSubject, field, fmt.Sprintf("%q is not a pattern: names match as a whole.", name), `List the users, name a group, or write "*" alone for all.`)
	case isAccount && (namespace == "" || accountName == "" || strings.Contains(accountName, ":")):
		r.add(ImpossibleSubject, field, fmt.Sprintf("%q is not the user name of a service account.", name), "Write system:serviceaccount:NAMESPACE:NAME, or use a subject of kind ServiceAccount.")
	case isAccount:
		r.readAccount(namespace, accountName, field)
	case isWellKnownGroup(name):
		r.add(ImpossibleSubject, field, fmt.Sprintf("%q is a group, and no user has this name.", name), "Use a subject of kind Group.")
	}
}

func (r *ruleReader) readGroup(name, field string) {
	namespace, isNamespace := strings.CutPrefix(name, serviceaccount.ServiceAccountGroupPrefix)
	switch {
	case name == wildcard:
	case strings.Contains(name, wildcard):
		r.add(ImpossibleSubject, field, fmt.Sprintf("%q is not a pattern: names match as a whole.", name), `List the groups, or write "*" alone for all.`)
	case strings.HasPrefix(name, serviceaccount.ServiceAccountUsernamePrefix):
		r.add(ImpossibleSubject, field, fmt.Sprintf("%q is the user name of a service account, and no group has this name.", name), "Use a subject of kind ServiceAccount.")
	case isNamespace:
		r.readAccount(namespace, wildcard, field)
	}
}

// isWellKnownGroup reports whether it is the name of a group that users are often
// confused with.
func isWellKnownGroup(name string) bool {
	switch name {
	case user.SystemPrivilegedGroup, user.NodesGroup, user.AllAuthenticated, user.AllUnauthenticated, serviceaccount.AllServiceAccountsGroup:
		return true
	default:
		return strings.HasPrefix(name, serviceaccount.ServiceAccountGroupPrefix)
	}
}

// readAccount adds FC111. The name may be the wildcard.
func (r *ruleReader) readAccount(namespace, name, field string) {
	switch {
	case !r.facts.hasNamespace(namespace):
		r.add(UnknownNamespace, field, fmt.Sprintf("No namespace %q exists, so it has no service accounts.", namespace), "Correct the name, or create the namespace.")
	case name != wildcard && !r.facts.hasAccount(namespace, name):
		r.addFinding(finding(UnknownNamespace, r.object, field,
			fmt.Sprintf("No service account %q exists in the namespace %q.", name, namespace), "Correct the name, or create the service account.").as(Info))
	}
}
