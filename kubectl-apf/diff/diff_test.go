package diff

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/e2e/objects"
)

func TestMatching(t *testing.T) {
	late := objects.Schema("late", "high", 600, on(objects.Group("devs"), "list", "pods"))
	for _, test := range []struct {
		name          string
		before, after configuration.Configuration
		want          []FlowSchema
	}{
		{"a schema whose requests another matches first stops matching", base(),
			with(objects.Schema("all", "low", 100, on(objects.User("*"), "*", "*"))),
			[]FlowSchema{
				{"devs", Stops, "all its requests match all first"},
				{"everybody", Stops, "all its requests match all first"},
			}},
		{"several schemas can take one together",
			with(objects.Schema("late", "high", 600, on(objects.User("*"), "list", "pods"))),
			with(objects.Schema("late", "high", 600, on(objects.User("*"), "list", "pods")),
				objects.Schema("some", "low", 100, on(objects.Group("system:authenticated"), "*", "*")),
				objects.Schema("others", "low", 100, on(objects.User("system:anonymous"), "list", "*"))),
			[]FlowSchema{
				{"devs", Stops, "all its requests match some first"},
				{"everybody", Stops, "all its requests match some first"},
				{"late", Stops, "all its requests match some, others first"},
			}},
		{"a schema starts matching when the earlier one shrinks", with(late),
			with(late, objects.Schema("devs", "high", 500, on(objects.Group("devs"), "get", "*"))),
			[]FlowSchema{{"late", Starts, "before, all its requests match devs first"}}},
		{"a new schema may never match", base(), with(late),
			[]FlowSchema{{"late", Never, "all its requests match devs first"}}},
		{"a new schema may have no level", base(), with(objects.Schema("late", "missing", 400, on(objects.Group("devs"), "list", "pods"))),
			[]FlowSchema{{"late", Never, `its priority level "missing" does not exist`}}},
		{"a schema without rules never matches", base(), with(objects.Schema("late", "low", 400)),
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
		objects.Schema("devs", "low", 501, on(objects.Group("devs"), "get", "*")),
		objects.Schema("new", "low", 700, on(objects.Group("new"), "get", "*")),
	}
	after.PriorityLevels = []*flowcontrolv1.PriorityLevelConfiguration{level("low", 20), level("high", 30)}
	objects := compare(t, base(), after).Objects
	assert.Equal(t, []Object{
		{Kind: "FlowSchema", Name: "devs", Change: Changed},
		{Kind: "FlowSchema", Name: "everybody", Change: Removed},
		{Kind: "FlowSchema", Name: "new", Change: Added},
		{Kind: "PriorityLevelConfiguration", Name: "high", Change: Changed},
	}, objects)
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
			Before:            &Limits{Type: "Queue", Shares: 75, Limits: configuration.Limits{Nominal: 75, Lower: 37, Upper: 100}, Lendable: 38, Borrowable: 25},
			After:             &Limits{Type: "Queue", Shares: 75, Limits: configuration.Limits{Nominal: 16, Lower: 8, Upper: 100}, Lendable: 8, Borrowable: 84},
			LosesMoreThanHalf: true,
		},
		{
			Name:              "low",
			Before:            &Limits{Type: "Queue", Shares: 20, Limits: configuration.Limits{Nominal: 20, Lower: 10, Upper: 100}, Lendable: 10, Borrowable: 80},
			LosesMoreThanHalf: true,
		},
		{
			Name:  "new",
			After: &Limits{Type: "Queue", Shares: 400, Limits: configuration.Limits{Nominal: 84, Lower: 42, Upper: 100}, Lendable: 42, Borrowable: 16},
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
	assert.Contains(t, notes[3], `Configuration after: PriorityLevelConfiguration "broken" is invalid and has no effect: spec.limited.limitResponse.type must be`)
}

func TestChanges(t *testing.T) {
	same := compare(t, base(), base())
	assert.False(t, same.Changes())
	different := compare(t, base(), with(objects.Schema("late", "high", 600, on(objects.Group("devs"), "list", "pods"))))
	assert.True(t, different.Changes())
}
