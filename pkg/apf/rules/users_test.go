package rules

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
)

func TestUsersOfASubject(t *testing.T) {
	for _, test := range []struct {
		subject Subject
		want    Users
	}{
		{Subject{Kind: User, Name: All}, Users{Kind: Everyone}},
		{Subject{Kind: Group, Name: All}, Users{Kind: Everyone}},
		{Subject{Kind: User, Name: user.Anonymous}, Users{Kind: Unauthenticated}},
		{Subject{Kind: Group, Name: user.AllUnauthenticated}, Users{Kind: Unauthenticated}},
		{Subject{Kind: Group, Name: user.AllAuthenticated}, Users{Kind: Authenticated}},
		{Subject{Kind: Group, Name: user.NodesGroup}, Users{Kind: Nodes}},
		{Subject{Kind: Group, Name: serviceaccount.AllServiceAccountsGroup}, Users{Kind: ServiceAccounts}},
		{Subject{Kind: Group, Name: serviceaccount.MakeNamespaceGroupName("ns")}, Users{Kind: ServiceAccountsOfNamespace, Namespace: "ns"}},
		{Subject{Kind: Group, Name: serviceaccount.ServiceAccountGroupPrefix}, Users{Kind: OneGroup, Name: serviceaccount.ServiceAccountGroupPrefix}},
		{Subject{Kind: Group, Name: "devs"}, Users{Kind: OneGroup, Name: "devs"}},
		{Subject{Kind: ServiceAccount, Namespace: "ns", Name: All}, Users{Kind: ServiceAccountsOfNamespace, Namespace: "ns"}},
		{Subject{Kind: ServiceAccount, Namespace: "ns", Name: "a"}, Users{Kind: OneServiceAccount, Namespace: "ns", Name: "a"}},
		{Subject{Kind: User, Name: serviceaccount.MakeUsername("ns", "a")}, Users{Kind: OneServiceAccount, Namespace: "ns", Name: "a"}},
		{Subject{Kind: User, Name: serviceaccount.MakeUsername("ns", "a:b")}, Users{Kind: OneUser, Name: "system:serviceaccount:ns:a:b"}},
		{Subject{Kind: User, Name: "alice"}, Users{Kind: OneUser, Name: "alice"}},
	} {
		got, some := test.subject.Users()
		assert.True(t, some)
		assert.Equal(t, test.want, got, "%+v", test.subject)
	}
	_, some := (&Subject{Name: All}).Users()
	assert.False(t, some, "an unknown kind")
}
