package diff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/e2e/objects"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// text returns a move with all its values.
func text(m Move) string {
	return fmt.Sprintf("%s -> %s: %s | %s | %s | %s", m.From, m.To, m.Users.text(maxTop), m.Verbs.text(maxTop), m.Resources.text(maxTop), m.Namespaces.text(maxTop))
}

func TestMovesByCombinations(t *testing.T) {
	for _, test := range []struct {
		name          string
		before, after configuration.Configuration
		want          []string
	}{
		{"no change moves nothing", base(), base(), nil},
		{"a new schema matches requests of the later ones, of the users whom it names", base(),
			with(objects.Schema("alice", "high", 600, on(objects.User("alice"), "list", "pods"))),
			[]string{"everybody (low) -> alice (high): alice | list | pods | *"}},
		{"a new schema matches nothing of earlier ones", base(),
			with(objects.Schema("late", "high", 600, on(objects.Group("devs"), "list", "pods"))), nil},
		{"a changed level moves the requests of the schema", base(),
			with(objects.Schema("devs", "low", 500, on(objects.Group("devs"), "list", "pods"), on(objects.Group("devs"), "*", "*"))),
			[]string{"devs (high) -> devs (low): group devs | *,list | *,pods | *"}},
		{"a schema whose level is missing matches nothing", base(),
			with(objects.Schema("alice", "missing", 600, on(objects.User("alice"), "list", "pods"))), nil},
		{"a wildcard of subjects covers everybody whom another rule names",
			with(objects.Schema("bot", "high", 400, on(accountSubject("bot"), "get", "pods"))),
			with(objects.Schema("bot", "high", 400, on(accountSubject("bot"), "get", "pods")), objects.Schema("all", "high", 300, on(objects.Group("*"), "get", "pods"))),
			[]string{
				"everybody (low) -> all (high): * | get | pods | *",
				"bot (high) -> all (high): service account ci/bot | get | pods | *",
				"catch-all -> all (high): system:anonymous | get | pods | *",
				"devs (high) -> all (high): group devs | get | pods | *",
			}},
		{"paths and everything below them move", base(),
			with(objects.Schema("probes", "low", 100, onPath(objects.Group("system:unauthenticated"), "/healthz"))),
			[]string{"catch-all -> probes (low): system:anonymous | get | /healthz,/healthz/* | "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := compare(t, test.before, test.after)
			assert.Equal(t, Combinations, r.Basis)
			assert.False(t, r.Cut)
			var got []string
			for _, m := range r.Moves {
				got = append(got, text(m))
			}
			assert.ElementsMatch(t, test.want, got)
		})
	}
}

// Every request whose place changes must have the same move among the combinations.
func TestCombinationsFindTheMoveOfEveryRequest(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 7))
	moved := 0
	for range lane.Pick(30, 500) {
		before, after := randomConfiguration(random), randomConfiguration(random)
		r := compare(t, before, after)
		found := map[route]bool{}
		for _, m := range r.Moves {
			found[route{m.From, m.To}] = true
		}
		c := New(before, after, timeZero())
		for range 200 {
			a := randomRequest(random)
			one := route{c.before.classify(&a), c.after.classify(&a)}
			if one.from != one.to {
				moved++
				require.True(t, found[one], "%v: %+v", one, a)
			}
		}
	}
	require.Positive(t, moved)
}

func randomConfiguration(random *rand.Rand) configuration.Configuration {
	c := base()
	c.FlowSchemas = nil
	subjects := []flowcontrolv1.Subject{
		objects.User("alice"), objects.User("*"), objects.Group("devs"), objects.Group("system:authenticated"),
		accountSubject("bot"), accountSubject("*"), objects.Group("system:serviceaccounts"),
	}
	for i := range 6 {
		levels := []string{"low", "high", "missing"}
		subject := subjects[random.IntN(len(subjects))]
		rule := on(subject, []string{"*", "get", "list"}[random.IntN(3)], []string{"*", "pods", "pods/status"}[random.IntN(3)])
		rule.ResourceRules[0].Namespaces = []string{[]string{"*", "ns1"}[random.IntN(2)]}
		rule.ResourceRules[0].ClusterScope = random.IntN(2) == 0
		if random.IntN(4) == 0 {
			rule = onPath(subject, []string{"*", "/a", "/a/*", "/a/b"}[random.IntN(4)])
		}
		c.FlowSchemas = append(c.FlowSchemas, objects.Schema(fmt.Sprintf("s%d", i), levels[random.IntN(3)], int32(2+random.IntN(5)), rule))
	}
	return c
}

func randomRequest(random *rand.Rand) flow.Attributes {
	who := []requester{
		authenticated("", "alice"), authenticated("", "bob"), authenticated("", "carol", "devs"), anonymous(),
		account("", "ci", "bot"), account("", "ci", "else"), account("", "cd", "bot"),
	}[random.IntN(7)]
	a := flow.Attributes{User: who.user, Groups: who.groups, Verb: []string{"get", "list", "create"}[random.IntN(3)]}
	if random.IntN(3) == 0 {
		a.Path = []string{"/", "/a", "/a/b", "/a/b/c", "/ab", "/b"}[random.IntN(6)]
		return a
	}
	a.IsResourceRequest = true
	a.APIGroup = []string{"", "apps"}[random.IntN(2)]
	a.Resource = []string{"pods", "nodes"}[random.IntN(2)]
	a.Subresource = []string{"", "status"}[random.IntN(2)]
	a.Namespace = []string{"", "ns1", "ns2"}[random.IntN(3)]
	return a
}

func TestMovesByAuditLog(t *testing.T) {
	after := with(objects.Schema("alice", "high", 600, on(objects.User("alice"), "list", "pods")), objects.Schema("aaron", "high", 600, on(objects.User("bob"), "list", "pods")),
		objects.Schema("devs", "low", 500, on(objects.Group("devs"), "*", "*")))
	r := compare(t, base(), after,
		podsOf("alice", "list", "a"), podsOf("alice", "list", "b"), podsOf("alice", "get", "a"),
		podsOf("bob", "list", "a"), podsOf("alice", "list", "a", "devs"))
	assert.Equal(t, Requests, r.Basis)
	assert.Equal(t, 5, r.Checked)
	assert.Equal(t, 4, r.Moved)
	require.Len(t, r.Moves, 3)
	assert.Equal(t, "devs (high) -> devs (low): alice | list | pods | a", text(r.Moves[1]), "the level changed")
	assert.Equal(t, Move{
		From: Place{"everybody", "low"}, To: Place{"alice", "high"}, Count: 2,
		Users:      Top{Values: []Value{{"alice", 2}}},
		Verbs:      Top{Values: []Value{{"list", 2}}},
		Resources:  Top{Values: []Value{{"pods", 2}}},
		Namespaces: Top{Values: []Value{{"a", 1}, {"b", 1}}},
	}, r.Moves[0], "the most frequent first")
}

func TestAUserIsNotTakenForTheGroupOfItsLabel(t *testing.T) {
	both := on(objects.User("group ops"), "list", "pods")
	both.Subjects = append(both.Subjects, objects.Group("ops"))
	c := New(base(), with(objects.Schema("both", "high", 300, both)), timeZero())
	r := c.Result()
	require.Len(t, r.Moves, 1)
	var users []string
	for _, u := range r.Moves[0].Users.Values {
		users = append(users, u.Name)
	}
	assert.Equal(t, []string{"group ops", `user "group ops"`}, users)
	assert.Equal(t, []string{other, "group ops"}, slices.Sorted(c.Moved()))
}

// kubernetes/website#35791: rules for requests that flow control does not govern move nothing.
func TestLongRunningRequestsDoNotMove(t *testing.T) {
	r := compare(t, base(), with(
		objects.Schema("shells", "high", 300, on(objects.Group("tenants"), "create", "pods/exec"), onPath(objects.Group("tenants"), "/debug/pprof/*")),
		objects.Schema("both", "high", 301, on(objects.Group("tenants"), "get", "pods/log"), on(objects.Group("tenants"), "get", "pods"))))
	require.Len(t, r.Moves, 1)
	assert.Equal(t, "everybody (low) -> both (high): group tenants | get | pods | *", text(r.Moves[0]))
	assert.Equal(t, r.Checked, r.Moved)
	assert.Equal(t, []FlowSchema{{"shells", Never, "its requests are long-running, and flow control does not govern them"}}, r.FlowSchemas)
	require.Len(t, r.Notes, 1)
	assert.Regexp(t, `^\d+ combinations not counted: `, r.Notes[0])
}

func TestMovesOfManyUsersNameTheFirst(t *testing.T) {
	after := with(objects.Schema("all", "high", 600, on(objects.Group("system:authenticated"), "*", "*")))
	c := New(base(), after, timeZero())
	for i := range maxTop + 5 {
		c.Observe(podsOf(fmt.Sprintf("user-%05d", i), "list", "a"))
	}
	r := c.Result()
	require.Len(t, r.Moves, 1)
	assert.Len(t, r.Moves[0].Users.Values, maxTop)
	assert.Equal(t, 5, r.Moves[0].Users.More)
}

func TestUsersWhomOtherRulesNameDoNotMultiplyCombinations(t *testing.T) {
	before := base()
	for i := range 50 {
		before.FlowSchemas = append(before.FlowSchemas, objects.Schema(fmt.Sprint("s", i), "low", 600, on(accountSubject(fmt.Sprint("bot", i)), "list", fmt.Sprint("r", i))))
	}
	after := before.Overlay([]*flowcontrolv1.FlowSchema{objects.Schema("all", "high", 300, on(objects.Group("system:serviceaccounts"), "*", "*"))}, nil)
	r := compare(t, before, after)
	// Each account has its resource and others, its verb and others, with a namespace or
	// without; all other accounts have one resource, one verb.
	assert.Equal(t, 50*8+2, r.Checked)
	assert.Equal(t, r.Checked, r.Moved)
}

func TestTooManyCombinationsAreCut(t *testing.T) {
	c := New(base(), with(objects.Schema("alice", "high", 300, on(objects.User("alice"), "list", "*"))), timeZero())
	c.limit = 1
	r := c.Result()
	assert.True(t, r.Cut)
	assert.Equal(t, 1, r.Checked)
	assert.Equal(t, 1, r.Moved)
	assert.Equal(t, []string{"There are more than 1 combinations, and only these are checked: give an audit log to check real requests."}, r.Notes)
}
