package userset

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

func TestUsersOfASubject(t *testing.T) {
	for _, test := range []struct {
		subject rules.Subject
		want    Set
	}{
		{rules.Subject{Kind: rules.User, Name: rules.All}, Set{Kind: Everyone}},
		{rules.Subject{Kind: rules.Group, Name: rules.All}, Set{Kind: Everyone}},
		{rules.Subject{Kind: rules.User, Name: user.Anonymous}, Set{Kind: Unauthenticated}},
		{rules.Subject{Kind: rules.Group, Name: user.AllUnauthenticated}, Set{Kind: Unauthenticated}},
		{rules.Subject{Kind: rules.Group, Name: user.AllAuthenticated}, Set{Kind: Authenticated}},
		{rules.Subject{Kind: rules.Group, Name: user.NodesGroup}, Set{Kind: Nodes}},
		{rules.Subject{Kind: rules.Group, Name: serviceaccount.AllServiceAccountsGroup}, Set{Kind: ServiceAccounts}},
		{rules.Subject{Kind: rules.Group, Name: serviceaccount.MakeNamespaceGroupName("ns")}, Set{Kind: ServiceAccountsOfNamespace, Namespace: "ns"}},
		{rules.Subject{Kind: rules.Group, Name: serviceaccount.ServiceAccountGroupPrefix}, Set{Kind: OneGroup, Name: serviceaccount.ServiceAccountGroupPrefix}},
		{rules.Subject{Kind: rules.Group, Name: "devs"}, Set{Kind: OneGroup, Name: "devs"}},
		{rules.Subject{Kind: rules.ServiceAccount, Namespace: "ns", Name: rules.All}, Set{Kind: ServiceAccountsOfNamespace, Namespace: "ns"}},
		{rules.Subject{Kind: rules.ServiceAccount, Namespace: "ns", Name: "a"}, Set{Kind: OneServiceAccount, Namespace: "ns", Name: "a"}},
		{rules.Subject{Kind: rules.User, Name: serviceaccount.MakeUsername("ns", "a")}, Set{Kind: OneServiceAccount, Namespace: "ns", Name: "a"}},
		{rules.Subject{Kind: rules.User, Name: serviceaccount.MakeUsername("ns", "a:b")}, Set{Kind: OneUser, Name: "system:serviceaccount:ns:a:b"}},
		{rules.Subject{Kind: rules.User, Name: "alice"}, Set{Kind: OneUser, Name: "alice"}},
	} {
		got, some := Of(test.subject)
		assert.True(t, some)
		assert.Equal(t, test.want, got, "%+v", test.subject)
	}
	_, some := Of(rules.Subject{Name: rules.All})
	assert.False(t, some, "an unknown kind")
}
