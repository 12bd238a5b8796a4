package diff

import (
	"fmt"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/userset"
)

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
	subject, err := rules.SubjectOf(s)
	if err != nil {
		return nil
	}
	users, _ := userset.Of(subject)
	switch users.Kind {
	case userset.Everyone:
		return everybody()
	case userset.Unauthenticated:
		return []requester{anonymous()}
	default:
		return []requester{oneOf(users)}
	}
}

// oneOf returns a user of a set without the anonymous user.
func oneOf(users userset.Set) requester {
	switch users.Kind {
	case userset.Authenticated:
		return authenticated(shownOther, other)
	case userset.ServiceAccounts:
		return account("service accounts", other, other)
	case userset.ServiceAccountsOfNamespace:
		return account("service accounts of namespace "+users.Namespace, users.Namespace, other)
	case userset.OneServiceAccount:
		return account("service account "+users.Namespace+"/"+users.Name, users.Namespace, users.Name)
	case userset.Nodes:
		return authenticated("group "+user.NodesGroup, userset.NodePrefix+other, user.NodesGroup)
	case userset.OneGroup:
		return authenticated("group "+users.Name, other, users.Name)
	default:
		if strings.HasPrefix(users.Name, userset.NodePrefix) {
			return authenticated(users.Name, users.Name, user.NodesGroup)
		}
		return authenticated(labelOf(users.Name), users.Name)
	}
}

// labelOf returns the label of a user. Labels of others have spaces, as in "group devs".
func labelOf(name string) string {
	if strings.ContainsAny(name, ` "`) {
		return fmt.Sprintf("user %q", name)
	}
	return name
}

// requestersIn returns the users of the subjects of rules.
func requestersIn(rules []*flowcontrolv1.PolicyRulesWithSubjects) []requester {
	var all []requester
	known := map[[2]string]bool{}
	for _, rule := range rules {
		for i := range rule.Subjects {
			for _, r := range requestersOf(&rule.Subjects[i]) {
				if key := [2]string{r.label, r.user}; !known[key] {
					known[key] = true
					all = append(all, r)
				}
			}
		}
	}
	return all
}

func everybody() []requester { return []requester{authenticated(shownOther, other), anonymous()} }

// matches reports whether the subject matches the requester.
func matches(s *flowcontrolv1.Subject, r *requester) bool {
	subject, err := rules.SubjectOf(s)
	return err == nil && subject.Matches(&flow.Attributes{User: r.user, Groups: r.groups})
}
