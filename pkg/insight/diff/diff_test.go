package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/table"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/lane"
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
		{"a new schema takes requests from the later ones, of the users whom it names", base(),
			with(schema("alice", "high", 600, on(userSubject("alice"), "list", "pods"))),
			[]string{"everybody (low) -> alice (high): alice | list | pods | *"}},
		{"a new schema takes nothing from earlier ones", base(),
			with(schema("late", "high", 600, on(groupSubject("devs"), "list", "pods"))), nil},
		{"a changed level moves the requests of the schema", base(),
			with(schema("devs", "low", 500, on(groupSubject("devs"), "list", "pods"), on(groupSubject("devs"), "*", "*"))),
			[]string{"devs (high) -> devs (low): group devs | *,list | *,pods | *"}},
		{"a schema whose level is missing takes nothing", base(),
			with(schema("alice", "missing", 600, on(userSubject("alice"), "list", "pods"))), nil},
		{"a wildcard of subjects covers everybody whom another rule names",
			with(schema("bot", "high", 400, on(accountSubject("bot"), "get", "pods"))),
			with(schema("bot", "high", 400, on(accountSubject("bot"), "get", "pods")), schema("all", "high", 300, on(groupSubject("*"), "get", "pods"))),
			[]string{
				"everybody (low) -> all (high): * | get | pods | *",
				"bot (high) -> all (high): service account ci/bot | get | pods | *",
				"catch-all -> all (high): system:anonymous | get | pods | *",
				"devs (high) -> all (high): group devs | get | pods | *",
			}},
		{"paths and everything below them move", base(),
			with(schema("probes", "low", 100, onPath(groupSubject("system:unauthenticated"), "/healthz"))),
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
		userSubject("alice"), userSubject("*"), groupSubject("devs"), groupSubject("system:authenticated"),
		accountSubject("bot"), accountSubject("*"), groupSubject("system:serviceaccounts"),
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
		c.FlowSchemas = append(c.FlowSchemas, schema(fmt.Sprintf("s%d", i), levels[random.IntN(3)], int32(2+random.IntN(5)), rule))
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
	after := with(schema("alice", "high", 600, on(userSubject("alice"), "list", "pods")))
	exec := podsOf("alice", "create", "a")
	exec.Attributes.Subresource = "exec"
	r := compare(t, base(), after,
		podsOf("alice", "list", "a"), podsOf("alice", "list", "b"), podsOf("alice", "get", "a"),
		podsOf("bob", "list", "a"), podsOf("alice", "list", "a", "devs"), exec)
	assert.Equal(t, Requests, r.Basis)
	assert.Equal(t, 5, r.Checked)
	assert.Equal(t, 2, r.Moved)
	assert.Equal(t, []Move{{
		From: Place{"everybody", "low"}, To: Place{"alice", "high"}, Count: 2,
		Users:      Top{Values: []Value{{"alice", 2}}},
		Verbs:      Top{Values: []Value{{"list", 2}}},
		Resources:  Top{Values: []Value{{"pods", 2}}},
		Namespaces: Top{Values: []Value{{"a", 1}, {"b", 1}}},
	}}, r.Moves)
	assert.Equal(t, []string{"1 requests of the log are not governed by flow control: exec, attach, portforward, proxy and log."}, r.Notes)
}

func TestMovesOfManyUsersAreBounded(t *testing.T) {
	after := with(schema("all", "high", 600, on(groupSubject("system:authenticated"), "*", "*")))
	c := New(base(), after, timeZero())
	for i := range maxDistinct + 5 {
		c.Observe(podsOf(fmt.Sprintf("user-%05d", i), "list", "a"))
	}
	r := c.Result()
	require.Len(t, r.Moves, 1)
	assert.Len(t, r.Moves[0].Users.Values, maxTop)
	assert.Equal(t, maxDistinct-maxTop+1, r.Moves[0].Users.More)
}

func TestMatching(t *testing.T) {
	late := schema("late", "high", 600, on(groupSubject("devs"), "list", "pods"))
	for _, test := range []struct {
		name          string
		before, after configuration.Configuration
		want          []FlowSchema
	}{
		{"a schema whose requests another takes stops matching", base(),
			with(schema("all", "low", 100, on(userSubject("*"), "*", "*"))),
			[]FlowSchema{
				{"devs", Stops, "all its requests match all first"},
				{"everybody", Stops, "all its requests match all first"},
			}},
		{"several schemas can take one together",
			with(schema("late", "high", 600, on(userSubject("*"), "list", "pods"))),
			with(schema("late", "high", 600, on(userSubject("*"), "list", "pods")),
				schema("some", "low", 100, on(groupSubject("system:authenticated"), "*", "*")),
				schema("others", "low", 100, on(userSubject("system:anonymous"), "list", "*"))),
			[]FlowSchema{
				{"devs", Stops, "all its requests match some first"},
				{"everybody", Stops, "all its requests match some first"},
				{"late", Stops, "all its requests match some, others first"},
			}},
		{"a schema starts matching when the earlier one shrinks", with(late),
			with(late, schema("devs", "high", 500, on(groupSubject("devs"), "get", "*"))),
			[]FlowSchema{{"late", Starts, "before, all its requests match devs first"}}},
		{"a new schema may never match", base(), with(late),
			[]FlowSchema{{"late", Never, "all its requests match devs first"}}},
		{"a new schema may have no level", base(), with(schema("late", "missing", 400, on(groupSubject("devs"), "list", "pods"))),
			[]FlowSchema{{"late", Never, `its priority level "missing" does not exist`}}},
		{"a schema without rules never matches", base(), with(schema("late", "low", 400)),
			[]FlowSchema{{"late", Never, "it has no rules"}}},
		{"a schema that is removed is not told", with(late), base(), []FlowSchema{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, compare(t, test.before, test.after).FlowSchemas)
		})
	}
}

func TestObjects(t *testing.T) {
	after := base()
	after.FlowSchemas = []*flowcontrolv1.FlowSchema{
		schema("devs", "low", 501, on(groupSubject("devs"), "get", "*")),
		schema("new", "low", 700, on(groupSubject("new"), "get", "*")),
	}
	after.PriorityLevels = []*flowcontrolv1.PriorityLevelConfiguration{level("low", 20), level("high", 30)}
	objects := compare(t, base(), after).Objects
	require.Len(t, objects, 4)
	assert.Equal(t, Object{Kind: "FlowSchema", Name: "devs", Change: Changed, Fields: objects[0].Fields}, objects[0])
	var fields []string
	for _, f := range objects[0].Fields {
		fields = append(fields, f.String())
	}
	assert.Equal(t, []string{"matchingPrecedence: 500 -> 501", "priorityLevelConfiguration.name: high -> low", "rules"}, fields)
	assert.Equal(t, []Object{
		{Kind: "FlowSchema", Name: "everybody", Change: Removed},
		{Kind: "FlowSchema", Name: "new", Change: Added},
		{Kind: "PriorityLevelConfiguration", Name: "high", Change: Changed, Fields: []Field{
			{Path: "spec.limited.nominalConcurrencyShares", Before: int64(75), After: int64(30)},
		}},
	}, objects[1:])
}

func TestLevels(t *testing.T) {
	after := base().Overlay(nil, []*flowcontrolv1.PriorityLevelConfiguration{level("new", 400)})
	after.PriorityLevels = after.PriorityLevels[1:] // without low
	levels := compare(t, base(), after).Levels
	require.Len(t, levels, 5)
	assert.Equal(t, "catch-all", levels[0].Name)
	assert.Equal(t, "exempt", levels[1].Name)
	assert.Equal(t, []Level{
		{
			Name:              "high",
			Before:            &Limits{Type: "Queue", Shares: 75, Nominal: 75, Lower: 37, Upper: 100, Lendable: 38, Borrowable: 25},
			After:             &Limits{Type: "Queue", Shares: 75, Nominal: 16, Lower: 8, Upper: 100, Lendable: 8, Borrowable: 84},
			LosesMoreThanHalf: true,
		},
		{
			Name:              "low",
			Before:            &Limits{Type: "Queue", Shares: 20, Nominal: 20, Lower: 10, Upper: 100, Lendable: 10, Borrowable: 80},
			LosesMoreThanHalf: true,
		},
		{
			Name:  "new",
			After: &Limits{Type: "Queue", Shares: 400, Nominal: 84, Lower: 42, Upper: 100, Lendable: 42, Borrowable: 16},
		},
	}, levels[2:])
}

func TestLevelThatLosesLessThanHalfIsNotMarked(t *testing.T) {
	after := base().Overlay(nil, []*flowcontrolv1.PriorityLevelConfiguration{level("new", 75)})
	for _, l := range compare(t, base(), after).Levels {
		assert.False(t, l.LosesMoreThanHalf, l.Name)
	}
}

func TestNotesSayWhatIsAssumedAndInvalid(t *testing.T) {
	before, after := base(), base()
	before.Notes = []string{"The total is inferred.", "Read from the cluster."}
	after.Notes = []string{"The total is inferred.", "Read from files."}
	broken := level("broken", 10)
	broken.Spec.Limited.LimitResponse.Queuing = nil
	after.PriorityLevels = append(after.PriorityLevels, broken)
	notes := compare(t, before, after).Notes
	require.Len(t, notes, 4)
	assert.Equal(t, []string{"The total is inferred.", "Configuration before: Read from the cluster.", "Configuration after: Read from files."}, notes[:3])
	assert.Contains(t, notes[3], `Configuration after: PriorityLevelConfiguration "broken" is invalid and left out: spec.limited.limitResponse.type must be`)
}

func TestTooManyCombinationsAreCut(t *testing.T) {
	c := New(base(), with(schema("alice", "high", 300, on(userSubject("alice"), "list", "*"))), timeZero())
	c.limit = 1
	r := c.Result()
	assert.True(t, r.Cut)
	assert.Equal(t, 1, r.Checked)
	assert.Equal(t, 1, r.Moved)
	assert.Equal(t, []string{"There are more than 1 combinations, and only these are checked: give an audit log to check real requests."}, r.Notes)
}

func TestTable(t *testing.T) {
	r := compare(t, base(), with(schema("alice", "high", 600, on(userSubject("alice"), "list", "pods"))))
	var out bytes.Buffer
	require.NoError(t, r.WriteTable(&out, table.Options{}))
	assert.Equal(t, `OBJECTS
KIND        NAME   CHANGE  FIELDS
FlowSchema  alice  added

MOVES: 2 of 2 combinations that the rules tell apart
COUNT  FROM             TO            USERS  VERBS  RESOURCES  NAMESPACES
    2  everybody (low)  alice (high)  alice  list   pods       *

FLOW SCHEMAS
No flow schema stops or starts to match.

PRIORITY LEVELS, in seats of one replica
NAME       NOMINAL  LOWER  UPPER  LENDS  BORROWS
catch-all        5      5    100      0       95
exempt           0      0    100      0      100
high            75     37    100     38       25
low             20     10    100     10       80
`, out.String())
}

func TestLongTablesAreCutUnlessTheyAreWide(t *testing.T) {
	after := base()
	for i := range maxRows + 3 {
		name := fmt.Sprintf("new-%02d", i)
		after.PriorityLevels = append(after.PriorityLevels, level(name, 1))
		after.FlowSchemas = append(after.FlowSchemas, schema(name, name, 600))
	}
	r := compare(t, base(), after)
	var out, wide bytes.Buffer
	require.NoError(t, r.WriteTable(&out, table.Options{}))
	require.NoError(t, r.WriteTable(&wide, table.Options{Wide: true}))
	assert.Contains(t, out.String(), "\n31 more; wide output shows them.\n", "28 schemas and 28 levels")
	assert.Contains(t, out.String(), "\n3 more; wide output shows them.\n", "28 schemas without rules")
	assert.Contains(t, out.String(), "\nnew-27 ", "all levels are shown")
	assert.NotContains(t, wide.String(), "more; wide")
}

func TestUsersWhomOtherRulesNameDoNotMultiplyCombinations(t *testing.T) {
	before := base()
	for i := range 50 {
		before.FlowSchemas = append(before.FlowSchemas, schema(fmt.Sprint("s", i), "low", 600, on(accountSubject(fmt.Sprint("bot", i)), "list", fmt.Sprint("r", i))))
	}
	after := before.Overlay([]*flowcontrolv1.FlowSchema{schema("all", "high", 300, on(groupSubject("system:serviceaccounts"), "*", "*"))}, nil)
	r := compare(t, before, after)
	// Each account has its resource and others, its verb and others, with a namespace or
	// without; all other accounts have one resource, one verb.
	assert.Equal(t, 50*8+2, r.Checked)
	assert.Equal(t, r.Checked, r.Moved)
}

func TestJSON(t *testing.T) {
	r := compare(t, base(), with(schema("alice", "high", 600, on(userSubject("alice"), "list", "pods"))))
	r.Levels = r.Levels[2:3]
	r.FlowSchemas = []FlowSchema{{"late", Stops, "all its requests match all first"}}
	text, err := json.Marshal(r)
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"objects": [{"kind": "FlowSchema", "name": "alice", "change": "added"}],
		"basis": "combinations", "checked": 2, "moved": 2,
		"moves": [{
			"from": {"flowSchema": "everybody", "priorityLevel": "low"}, "to": {"flowSchema": "alice", "priorityLevel": "high"}, "count": 2,
			"users": {"values": [{"name": "alice", "count": 2}]}, "verbs": {"values": [{"name": "list", "count": 2}]},
			"resources": {"values": [{"name": "pods", "count": 2}]}, "namespaces": {"values": [{"name": "*", "count": 1}]}
		}],
		"flowSchemas": [{"name": "late", "matching": "stops matching", "because": "all its requests match all first"}],
		"priorityLevels": [{
			"name": "high",
			"before": {"type": "Queue", "shares": 75, "nominal": 75, "lower": 37, "upper": 100, "lendable": 38, "borrowable": 25},
			"after": {"type": "Queue", "shares": 75, "nominal": 75, "lower": 37, "upper": 100, "lendable": 38, "borrowable": 25}
		}]
	}`, string(text))
}

func TestChanges(t *testing.T) {
	same := compare(t, base(), base())
	assert.False(t, same.Changes())
	different := compare(t, base(), with(schema("late", "high", 600, on(groupSubject("devs"), "list", "pods"))))
	assert.True(t, different.Changes())
}
