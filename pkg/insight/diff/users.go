package diff

import (
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
)

const nodePrefix = "system:node:"

// requester is one user for a subject, in the groups that the subject implies.
type requester struct {
	// label says whom the requester stands for.
	label  string
	user   string
	groups []string
}

func account(label, namespace, name string) requester {
	return requester{
		label:  label,
		user:   serviceaccount.MakeUsername(namespace, name),
		groups: append(serviceaccount.MakeGroupNames(namespace), user.AllAuthenticated),
	}
}

func authenticated(label, name string, groups ...string) requester {
	return requester{label: label, user: name, groups: append(groups, user.AllAuthenticated)}
}

func anonymous() requester {
	return requester{label: user.Anonymous, user: user.Anonymous, groups: []string{user.AllUnauthenticated}}
}

// requestersOf returns the users of a subject: two for everybody, otherwise one.
func requestersOf(s *flowcontrolv1.Subject) []requester {
	switch {
	case s.Kind == flowcontrolv1.SubjectKindUser && s.User != nil:
		return usersNamed(s.User.Name)
	case s.Kind == flowcontrolv1.SubjectKindGroup && s.Group != nil:
		return membersOf(s.Group.Name)
	case s.Kind == flowcontrolv1.SubjectKindServiceAccount && s.ServiceAccount != nil:
		namespace, name := s.ServiceAccount.Namespace, s.ServiceAccount.Name
		if name == flowcontrolv1.NameAll {
			return []requester{account("service accounts of namespace "+namespace, namespace, other)}
		}
		return []requester{account("service account "+namespace+"/"+name, namespace, name)}
	default:
		return nil
	}
}

// requestersIn returns the users of the subjects of rules.
func requestersIn(rules []*flowcontrolv1.PolicyRulesWithSubjects) []requester {
	var all []requester
	known := map[string]bool{}
	for _, rule := range rules {
		for i := range rule.Subjects {
			for _, r := range requestersOf(&rule.Subjects[i]) {
				if !known[r.label] {
					known[r.label] = true
					all = append(all, r)
				}
			}
		}
	}
	return all
}

func everybody() []requester { return []requester{authenticated(shownOther, other), anonymous()} }

func usersNamed(name string) []requester {
	if name == flowcontrolv1.NameAll {
		return everybody()
	}
	if name == user.Anonymous {
		return []requester{anonymous()}
	}
	if namespace, account0, err := serviceaccount.SplitUsername(name); err == nil {
		return []requester{account("service account "+namespace+"/"+account0, namespace, account0)}
	}
	if strings.HasPrefix(name, nodePrefix) {
		return []requester{authenticated(name, name, user.NodesGroup)}
	}
	return []requester{authenticated(name, name)}
}

func membersOf(group string) []requester {
	switch group {
	case flowcontrolv1.NameAll:
		return everybody()
	case user.AllAuthenticated:
		return []requester{authenticated(shownOther, other)}
	case user.AllUnauthenticated:
		return []requester{anonymous()}
	case user.NodesGroup:
		return []requester{authenticated("group "+group, nodePrefix+other, group)}
	case serviceaccount.AllServiceAccountsGroup:
		return []requester{account("service accounts", other, other)}
	}
	if namespace, is := strings.CutPrefix(group, serviceaccount.ServiceAccountGroupPrefix); is {
		return []requester{account("service accounts of namespace "+namespace, namespace, other)}
	}
	return []requester{authenticated("group "+group, other, group)}
}

// matches reports whether the subject matches the requester.
func matches(s *flowcontrolv1.Subject, r *requester) bool {
	switch {
	case s.Kind == flowcontrolv1.SubjectKindUser && s.User != nil:
		return s.User.Name == flowcontrolv1.NameAll || s.User.Name == r.user
	case s.Kind == flowcontrolv1.SubjectKindGroup && s.Group != nil:
		return s.Group.Name == flowcontrolv1.NameAll || slices.Contains(r.groups, s.Group.Name)
	case s.Kind == flowcontrolv1.SubjectKindServiceAccount && s.ServiceAccount != nil:
		if s.ServiceAccount.Name == flowcontrolv1.NameAll {
			return strings.HasPrefix(r.user, serviceaccount.MakeUsername(s.ServiceAccount.Namespace, ""))
		}
		return r.user == serviceaccount.MakeUsername(s.ServiceAccount.Namespace, s.ServiceAccount.Name)
	default:
		return false
	}
}
