package lint

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

func TestSubjectsCoverAndMeetOneAnother(t *testing.T) {
	const covers, covered, meets, same, apart = "covers", "covered", "meets", "same", "apart"
	for _, test := range []struct {
		name     string
		a, b     flowcontrol.Subject
		relation string
	}{
		{"any user and a user", aUser("*"), aUser("alice"), covers},
		{"any group and any user", aGroup("*"), aUser("*"), same},
		{"any group and those who are not authenticated", aGroup("*"), aGroup("system:unauthenticated"), covers},
		{"two users", aUser("alice"), aUser("bob"), apart},
		{"a user and a group that he may be in", aUser("alice"), aGroup("devs"), meets},
		{"two groups that somebody may be in", aGroup("devs"), aGroup("ops"), meets},
		{"the authenticated and a user", aGroup("system:authenticated"), aUser("alice"), covers},
		{"the authenticated and a group", aGroup("system:authenticated"), aGroup("devs"), covers},
		{"the authenticated and a service account", aGroup("system:authenticated"), anAccount("ns", "a"), covers},
		{"the authenticated and everybody", aGroup("system:authenticated"), aUser("*"), covered},
		{"the authenticated and the others", aGroup("system:authenticated"), aGroup("system:unauthenticated"), apart},
		{"the authenticated and the anonymous", aGroup("system:authenticated"), aUser("system:anonymous"), apart},
		{"the unauthenticated and the anonymous", aGroup("system:unauthenticated"), aUser("system:anonymous"), same},
		{"the unauthenticated and a group", aGroup("system:unauthenticated"), aGroup("devs"), apart},
		{"an account and its user name", anAccount("ns", "a"), aUser("system:serviceaccount:ns:a"), same},
		{"an account and its namesake elsewhere", anAccount("ns", "a"), anAccount("other", "a"), apart},
		{"the accounts of a namespace and one of them", anAccount("ns", "*"), anAccount("ns", "a"), covers},
		{"the accounts of a namespace and a user name", anAccount("ns", "*"), aUser("system:serviceaccount:ns:a"), covers},
		{"the accounts of a namespace and their group", anAccount("ns", "*"), aGroup("system:serviceaccounts:ns"), same},
		{"the accounts of two namespaces", anAccount("ns", "*"), aGroup("system:serviceaccounts:other"), apart},
		{"all accounts and those of a namespace", aGroup("system:serviceaccounts"), anAccount("ns", "*"), covers},
		{"all accounts and one", aGroup("system:serviceaccounts"), aUser("system:serviceaccount:ns:a"), covers},
		{"all accounts and a group of users", aGroup("system:serviceaccounts"), aGroup("devs"), apart},
		{"all accounts and a user", aGroup("system:serviceaccounts"), aUser("alice"), apart},
		{"a name that only begins like an account's", aGroup("system:serviceaccounts"), aUser("system:serviceaccount:ns"), apart},
		{"nodes and one that may be of them", aGroup("system:nodes"), aUser("system:node:n1"), meets},
		{"nodes and a user of another name", aGroup("system:nodes"), aUser("alice"), apart},
		{"nodes and another group", aGroup("system:nodes"), aGroup("devs"), apart},
		{"the authenticated and nodes", aGroup("system:authenticated"), aGroup("system:nodes"), covers},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, ok := whoIs(&test.a)
			require.True(t, ok)
			b, ok := whoIs(&test.b)
			require.True(t, ok)
			require.Equal(t, test.relation == covers || test.relation == same, a.covers(b))
			require.Equal(t, test.relation == covered || test.relation == same, b.covers(a))
			require.Equal(t, test.relation != apart, a.meets(b))
			require.Equal(t, test.relation != apart, b.meets(a))
			require.True(t, test.relation == apart || a.sketch().MayMeet(b.sketch()), "a sketch hides nobody")
		})
	}
}

func TestMalformedSubjectIsNobody(t *testing.T) {
	for _, kind := range []flowcontrol.SubjectKind{"User", "Group", "ServiceAccount", "Nobody", ""} {
		_, ok := whoIs(&flowcontrol.Subject{Kind: kind})
		require.False(t, ok, kind)
	}
}

func TestSketchTellsUsersApart(t *testing.T) {
	const count = 1000
	alice, meet := who{kind: person, name: "alice"}.sketch(), 0
	for i := range count {
		if alice.MayMeet(who{kind: person, name: fmt.Sprint(i)}.sketch()) {
			meet++
		}
	}
	require.Less(t, meet, count/20, "one of 64, or so")
	require.False(t, alice.MayMeet(UsersOf(&flowcontrol.FlowSchema{})), "of nobody")
	both := everything("both", 1, aUser("alice"), anAccount("ns", "a"))
	require.True(t, UsersOf(&both).MayMeet(alice))
	require.True(t, UsersOf(&both).MayMeet(who{kind: account, namespace: "ns", name: "a"}.sketch()))
	require.False(t, UsersOf(&both).MayMeet(who{kind: person, name: "bob"}.sketch()))
}
