package lint

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	flowcontrolv1 "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/v1"
)

// shelf is a catalogue in memory.
type shelf struct {
	schemas []flowcontrol.FlowSchema
	// cached are the levels that the cache knows, written those that the store does.
	cached, written []string
	broken          error
	asked           int
}

func (s *shelf) FlowSchemas(_ context.Context, users Users) ([]*flowcontrol.FlowSchema, error) {
	return slices.DeleteFunc(pointers(s.schemas), func(schema *flowcontrol.FlowSchema) bool { return !users.MayMeet(UsersOf(schema)) }), s.broken
}

func pointers(schemas []flowcontrol.FlowSchema) []*flowcontrol.FlowSchema {
	var all []*flowcontrol.FlowSchema
	for i := range schemas {
		all = append(all, &schemas[i])
	}
	return all
}

func (s *shelf) LevelExists(_ context.Context, name string) (bool, error) {
	return slices.Contains(s.cached, name), s.broken
}

func (s *shelf) LevelIsAbsent(_ context.Context, name string) (bool, error) {
	s.asked++
	return !slices.Contains(s.written, name), s.broken
}

// everything is a schema of all requests of the subjects.
func everything(name string, precedence int32, subjects ...flowcontrol.Subject) flowcontrol.FlowSchema {
	wild := []string{all}
	return schemaOf(name, precedence, flowcontrol.PolicyRulesWithSubjects{
		Subjects:         subjects,
		ResourceRules:    []flowcontrol.ResourcePolicyRule{{Verbs: wild, APIGroups: wild, Resources: wild, ClusterScope: true, Namespaces: wild}},
		NonResourceRules: []flowcontrol.NonResourcePolicyRule{{Verbs: wild, NonResourceURLs: wild}},
	})
}

func schemaOf(name string, precedence int32, rules ...flowcontrol.PolicyRulesWithSubjects) flowcontrol.FlowSchema {
	schema := flowcontrol.FlowSchema{}
	schema.Name = name
	schema.Spec.MatchingPrecedence = precedence
	schema.Spec.PriorityLevelConfiguration.Name = "level"
	schema.Spec.Rules = rules
	return schema
}

func TestAdviceSaysWhatIsWrongAndWhatToDo(t *testing.T) {
	dangling := everything("dangling", 5, aGroup(all))
	dangling.Spec.PriorityLevelConfiguration.Name = "other"
	for _, test := range []struct {
		name   string
		schema flowcontrol.FlowSchema
		stored []flowcontrol.FlowSchema
		want   []string
	}{
		{"alone", everything("new", 10, aUser("alice")), nil, nil},
		{"with itself, as an update finds it", everything("new", 10, aUser("alice")), []flowcontrol.FlowSchema{everything("new", 10, aUser("alice"))}, nil},
		{"with itself, as it was at another precedence", everything("new", 10, aUser("alice")), []flowcontrol.FlowSchema{everything("new", 5, aUser("alice"))}, nil},
		{"a level that is missing", dangling, nil, []string{
			`spec.priorityLevelConfiguration.name: no priority level "other" exists; until it does, this schema matches no request: create the PriorityLevelConfiguration, or name one that exists`,
		}},
		{"behind a schema without a level", everything("new", 10, aUser("alice")), []flowcontrol.FlowSchema{dangling}, nil},
		{"behind one that takes it all", everything("new", 10, aUser("alice")), []flowcontrol.FlowSchema{everything("first", 7, aGroup("system:authenticated"))}, []string{
			`spec.matchingPrecedence: this schema can never match, because "first" comes before it and takes every request that it would: give it a matchingPrecedence below 7, or delete it`,
		}},
		{"behind two that take it together", everything("new", 10, aUser("alice"), aUser("bob")), []flowcontrol.FlowSchema{everything("a", 7, aUser("alice")), everything("b", 6, aUser("bob"))}, []string{
			`spec.matchingPrecedence: this schema can never match, because "a" and "b" come before it and together take every request that it would: give it a matchingPrecedence below 6, or delete it`,
		}},
		{"behind exempt", everything("new", 2, aGroup("system:masters")), []flowcontrol.FlowSchema{everything("exempt", 1, aGroup("system:masters"))}, []string{
			`spec.matchingPrecedence: this schema can never match, because "exempt" comes before it and takes every request that it would: change what it matches, or delete it`,
		}},
		{"beside another", everything("new", 10, aGroup("devs")), []flowcontrol.FlowSchema{everything("other", 10, aUser("alice"))}, []string{
			`spec.matchingPrecedence: 10 is also that of "other", and some requests match both: the schema whose name sorts first takes them; give this one a precedence of its own`,
		}},
		{
			"beside many", everything("a", 10, aUser("alice")),
			[]flowcontrol.FlowSchema{everything("b", 10, aUser(all)), everything("c", 10, aUser(all)), everything("d", 10, aUser(all)), everything("e", 10, aUser(all)), everything("f", 10, aUser(all))},
			[]string{
				`spec.matchingPrecedence: 10 is also that of "b", "c", "d" and 2 more, and some requests match both: the schema whose name sorts first takes them; give this one a precedence of its own`,
			},
		},
		{
			"beside more than are looked for", everything("a", 10, aUser("alice")), slices.Repeat([]flowcontrol.FlowSchema{everything("b", 10, aUser(all))}, 100),
			[]string{
				`spec.matchingPrecedence: 10 is also that of "b", "b", "b" and 17 or more others, and some requests match both: the schema whose name sorts first takes them; give this one a precedence of its own`,
			},
		},
		{"beside catch-all, which is last in any case", everything("new", 10000, aUser("alice")), []flowcontrol.FlowSchema{everything("catch-all", 10000, aUser(all))}, nil},
		{"without rules", schemaOf("new", 10), []flowcontrol.FlowSchema{everything("first", 7, aUser(all))}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			stored := &shelf{schemas: test.stored, cached: []string{"level"}, written: []string{"level"}}
			require.Equal(t, test.want, For(t.Context(), &test.schema, stored))
		})
	}
}

func TestLevelIsSaidToBeMissingOnlyIfTheStoreSaysSo(t *testing.T) {
	schema := everything("new", 10, aUser("alice"))
	require.Len(t, For(t.Context(), &schema, &shelf{}), 1)

	behind := &shelf{written: []string{"level"}}
	require.Empty(t, For(t.Context(), &schema, behind), "the cache does not know the level yet")
	require.Equal(t, 1, behind.asked)

	cached := &shelf{cached: []string{"level"}}
	require.Empty(t, For(t.Context(), &schema, cached))
	require.Zero(t, cached.asked, "the store is asked in doubt only")

	for _, mandatory := range []string{"exempt", "catch-all"} {
		schema.Spec.PriorityLevelConfiguration.Name = mandatory
		require.Empty(t, For(t.Context(), &schema, &shelf{}), "%s acts where it is not stored", mandatory)
	}
}

func TestThereIsNoAdviceFromWhatIsNotKnown(t *testing.T) {
	schema := everything("new", 10, aUser("alice"))
	stored := &shelf{schemas: []flowcontrol.FlowSchema{everything("first", 7, aUser(all)), everything("other", 10, aUser(all))}}
	require.Len(t, For(t.Context(), &schema, stored), 2, "no level, and a tie")
	stored.broken = errors.New("no store")
	require.Empty(t, For(t.Context(), &schema, stored))
}

// builtIn returns the mandatory and suggested schemas, and the levels' names.
func builtIn(t *testing.T) (schemas []flowcontrol.FlowSchema, levels []string) {
	t.Helper()
	for _, object := range slices.Concat(bootstrap.MandatoryFlowSchemas, bootstrap.SuggestedFlowSchemas) {
		object = object.DeepCopy()
		flowcontrolv1.SetObjectDefaults_FlowSchema(object)
		var schema flowcontrol.FlowSchema
		require.NoError(t, flowcontrolv1.Convert_v1_FlowSchema_To_flowcontrol_FlowSchema(object, &schema, nil))
		schemas = append(schemas, schema)
	}
	for _, object := range slices.Concat(bootstrap.MandatoryPriorityLevelConfigurations, bootstrap.SuggestedPriorityLevelConfigurations) {
		levels = append(levels, object.Name)
	}
	return schemas, levels
}

func TestBuiltInSchemasGiveNoCauseForAdvice(t *testing.T) {
	schemas, levels := builtIn(t)
	for i := range schemas {
		require.Empty(t, For(t.Context(), &schemas[i], &shelf{schemas: schemas, cached: levels}), schemas[i].Name)
	}
}

// TestCopyOfABuiltInSchemaIsToldOfIt is also about the schemas that come before
// both: the copy is last of its precedence.
func TestCopyOfABuiltInSchemaIsToldOfIt(t *testing.T) {
	schemas, levels := builtIn(t)
	stored := &shelf{schemas: schemas, cached: levels}
	for i := range schemas {
		if isMandatory(&schemas[i]) {
			continue
		}
		duplicate := *schemas[i].DeepCopy()
		duplicate.Name = "zz"
		advice := For(t.Context(), &duplicate, stored)
		require.Len(t, advice, 2, duplicate.Name)
		require.Contains(t, advice[0], fmt.Sprintf(`%q comes before it`, schemas[i].Name))
		require.Contains(t, advice[1], fmt.Sprintf(`%d is also that of %q, and`, schemas[i].Spec.MatchingPrecedence, schemas[i].Name))

		duplicate.Name = "-"
		require.Len(t, For(t.Context(), &duplicate, stored), 1, "the copy of %s comes first now", schemas[i].Name)
	}
}
