package lint

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/userset"
)

func TestSubjectsCoverAndIntersect(t *testing.T) {
	const covers, covered, intersects, same, disjoint = "covers", "covered", "intersects", "same", "disjoint"
	for _, test := range []struct {
		name     string
		a, b     flowcontrolv1.Subject
		relation string
	}{
		{"any user and a user", aUser("*"), aUser("alice"), covers},
		{"any group and any user", aGroup("*"), aUser("*"), same},
		{"any group and the unauthenticated", aGroup("*"), aGroup("system:unauthenticated"), covers},
		{"two users", aUser("alice"), aUser("bob"), disjoint},
		{"a user and a group", aUser("alice"), aGroup("devs"), intersects},
		{"two groups", aGroup("devs"), aGroup("ops"), intersects},
		{"the authenticated and a user", aGroup("system:authenticated"), aUser("alice"), covers},
		{"the authenticated and a group", aGroup("system:authenticated"), aGroup("devs"), covers},
		{"the authenticated and a service account", aGroup("system:authenticated"), anAccount("ns", "a"), covers},
		{"the authenticated and any user", aGroup("system:authenticated"), aUser("*"), covered},
		{"the authenticated and the others", aGroup("system:authenticated"), aGroup("system:unauthenticated"), disjoint},
		{"the authenticated and the anonymous", aGroup("system:authenticated"), aUser("system:anonymous"), disjoint},
		{"the unauthenticated and the anonymous", aGroup("system:unauthenticated"), aUser("system:anonymous"), same},
		{"the unauthenticated and a group", aGroup("system:unauthenticated"), aGroup("devs"), disjoint},
		{"an account and its user name", anAccount("ns", "a"), aUser("system:serviceaccount:ns:a"), same},
		{"two accounts of one name in two namespaces", anAccount("ns", "a"), anAccount("other", "a"), disjoint},
		{"the accounts of a namespace and one of them", anAccount("ns", "*"), anAccount("ns", "a"), covers},
		{"the accounts of a namespace and a user name", anAccount("ns", "*"), aUser("system:serviceaccount:ns:a"), covers},
		{"the accounts of a namespace and their group", anAccount("ns", "*"), aGroup("system:serviceaccounts:ns"), same},
		{"the accounts of two namespaces", anAccount("ns", "*"), aGroup("system:serviceaccounts:other"), disjoint},
		{"all accounts and a namespace's", aGroup("system:serviceaccounts"), anAccount("ns", "*"), covers},
		{"all accounts and one", aGroup("system:serviceaccounts"), aUser("system:serviceaccount:ns:a"), covers},
		{"all accounts and a group of users", aGroup("system:serviceaccounts"), aGroup("devs"), disjoint},
		{"all accounts and a user", aGroup("system:serviceaccounts"), aUser("alice"), disjoint},
		{"a user name with the prefix of service accounts", aGroup("system:serviceaccounts"), aUser("system:serviceaccount:ns"), disjoint},
		{"nodes and a node user name", aGroup("system:nodes"), aUser("system:node:n1"), intersects},
		{"nodes and another user name", aGroup("system:nodes"), aUser("alice"), disjoint},
		{"nodes and another group", aGroup("system:nodes"), aGroup("devs"), disjoint},
		{"the authenticated and nodes", aGroup("system:authenticated"), aGroup("system:nodes"), covers},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, ok := usersOf(&test.a)
			require.True(t, ok)
			b, ok := usersOf(&test.b)
			require.True(t, ok)
			require.Equal(t, test.relation == covers || test.relation == same, a.Covers(b))
			require.Equal(t, test.relation == covered || test.relation == same, b.Covers(a))
			require.Equal(t, test.relation != disjoint, a.Intersects(b))
			require.Equal(t, test.relation != disjoint, b.Intersects(a))
			require.True(t, test.relation == disjoint || maskOf(a).MayIntersect(maskOf(b)), "a mask has no false negatives")
		})
	}
}

func TestMalformedSubjectSelectsNoUser(t *testing.T) {
	for _, kind := range []flowcontrolv1.SubjectKind{"User", "Group", "ServiceAccount", "Nobody", ""} {
		_, ok := usersOf(&flowcontrolv1.Subject{Kind: kind})
		require.False(t, ok, kind)
	}
}

func TestMasksOfUsersDiffer(t *testing.T) {
	const count = 1000
	alice, intersecting := maskOf(userset.Set{Kind: userset.OneUser, Name: "alice"}), 0
	for i := range count {
		if alice.MayIntersect(maskOf(userset.Set{Kind: userset.OneUser, Name: fmt.Sprint(i)})) {
			intersecting++
		}
	}
	require.Less(t, intersecting, count/20, "about one in 64")
	require.False(t, alice.MayIntersect(MaskOf(&flowcontrolv1.FlowSchema{})), "no subjects")
	both := everything("both", 1, aUser("alice"), anAccount("ns", "a"))
	require.True(t, MaskOf(&both).MayIntersect(alice))
	require.True(t, MaskOf(&both).MayIntersect(maskOf(userset.Set{Kind: userset.OneServiceAccount, Namespace: "ns", Name: "a"})))
	require.False(t, MaskOf(&both).MayIntersect(maskOf(userset.Set{Kind: userset.OneUser, Name: "bob"})))
}
