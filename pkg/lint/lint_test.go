package lint

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	flowcontrolconversion "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/v1"
)

// fakeReader is an in-memory configuration.
type fakeReader struct {
	schemas []flowcontrol.FlowSchema
	// cached are the levels in the cache; written are those in the store.
	cached, written []string
	broken          error
	storeReads      int
}

func (s *fakeReader) FlowSchemas(_ context.Context, users UserMask) ([]*flowcontrol.FlowSchema, error) {
	return slices.DeleteFunc(pointers(s.schemas), func(schema *flowcontrol.FlowSchema) bool { return !users.MayIntersect(MaskOf(schema)) }), s.broken
}

func pointers(schemas []flowcontrol.FlowSchema) []*flowcontrol.FlowSchema {
	var found []*flowcontrol.FlowSchema
	for i := range schemas {
		found = append(found, &schemas[i])
	}
	return found
}

func (s *fakeReader) LevelExists(_ context.Context, name string) (bool, error) {
	return slices.Contains(s.cached, name), s.broken
}

func (s *fakeReader) LevelIsAbsent(_ context.Context, name string) (bool, error) {
	s.storeReads++
	return !slices.Contains(s.written, name), s.broken
}

// everything returns a schema that matches all requests of the subjects.
func everything(name string, precedence int32, subjects ...flowcontrol.Subject) flowcontrol.FlowSchema {
	wild := []string{wildcard}
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

func TestFindingsSayWhatIsWrongAndWhatToDo(t *testing.T) {
	dangling := everything("dangling", 5, aGroup(wildcard))
	dangling.Spec.PriorityLevelConfiguration.Name = "other"
	for _, test := range []struct {
		name   string
		schema flowcontrol.FlowSchema
		stored []flowcontrol.FlowSchema
		want   []string
	}{
		{"alone", everything("new", 10, aUser("alice")), nil, nil},
		{"its own stored version", everything("new", 10, aUser("alice")), []flowcontrol.FlowSchema{everything("new", 10, aUser("alice"))}, nil},
		{"its own stored version at another precedence", everything("new", 10, aUser("alice")), []flowcontrol.FlowSchema{everything("new", 5, aUser("alice"))}, nil},
		{"a level that is missing", dangling, nil, []string{
			`spec.priorityLevelConfiguration.name: no priority level "other" exists, so this FlowSchema matches no request: create the PriorityLevelConfiguration or name an existing one`,
		}},
		{"after a schema whose level is missing", everything("new", 10, aUser("alice")), []flowcontrol.FlowSchema{dangling}, nil},
		{"after one that takes all its requests", everything("new", 10, aUser("alice")), []flowcontrol.FlowSchema{everything("first", 7, aGroup("system:authenticated"))}, []string{
			`spec.matchingPrecedence: this FlowSchema can never match: "first" comes before it and matches all its requests: set matchingPrecedence below 7 or delete it`,
		}},
		{"after two that together take all its requests", everything("new", 10, aUser("alice"), aUser("bob")), []flowcontrol.FlowSchema{everything("a", 7, aUser("alice")), everything("b", 6, aUser("bob"))}, []string{
			`spec.matchingPrecedence: this FlowSchema can never match: "a" and "b" come before it and together match all its requests: set matchingPrecedence below 6 or delete it`,
		}},
		{"after exempt", everything("new", 2, aGroup("system:masters")), []flowcontrol.FlowSchema{everything(flowcontrolv1.FlowSchemaNameExempt, 1, aGroup("system:masters"))}, []string{
			`spec.matchingPrecedence: this FlowSchema can never match: "exempt" comes before it and matches all its requests: change its rules or delete it`,
		}},
		{"with another of the same precedence", everything("new", 10, aGroup("devs")), []flowcontrol.FlowSchema{everything("other", 10, aUser("alice"))}, []string{
			`spec.matchingPrecedence: 10 is also the precedence of "other", and some requests match both: the FlowSchema whose name sorts first takes them: choose a precedence that no other FlowSchema has`,
		}},
		{
			"with many of the same precedence", everything("a", 10, aUser("alice")),
			[]flowcontrol.FlowSchema{everything("b", 10, aUser(wildcard)), everything("c", 10, aUser(wildcard)), everything("d", 10, aUser(wildcard)), everything("e", 10, aUser(wildcard)), everything("f", 10, aUser(wildcard))},
			[]string{
				`spec.matchingPrecedence: 10 is also the precedence of "b", "c", "d" and 2 more, and some requests match both: the FlowSchema whose name sorts first takes them: choose a precedence that no other FlowSchema has`,
			},
		},
		{
			"with more of the same precedence than maxTied", everything("a", 10, aUser("alice")), slices.Repeat([]flowcontrol.FlowSchema{everything("b", 10, aUser(wildcard))}, 100),
			[]string{
				`spec.matchingPrecedence: 10 is also the precedence of "b", "b", "b" and 17 or more others, and some requests match both: the FlowSchema whose name sorts first takes them: choose a precedence that no other FlowSchema has`,
			},
		},
		{"with catch-all, which is always last", everything("new", 10000, aUser("alice")), []flowcontrol.FlowSchema{everything(flowcontrolv1.FlowSchemaNameCatchAll, 10000, aUser(wildcard))}, nil},
		{"without rules", schemaOf("new", 10), []flowcontrol.FlowSchema{everything("first", 7, aUser(wildcard))}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			stored := &fakeReader{schemas: test.stored, cached: []string{"level"}, written: []string{"level"}}
			var got []string
			for _, finding := range FlowSchema(t.Context(), &test.schema, stored) {
				got = append(got, finding.String())
			}
			require.Equal(t, test.want, got)
		})
	}
}

func TestMissingLevelIsConfirmedByTheStore(t *testing.T) {
	schema := everything("new", 10, aUser("alice"))
	require.Len(t, FlowSchema(t.Context(), &schema, &fakeReader{}), 1)

	behind := &fakeReader{written: []string{"level"}}
	require.Empty(t, FlowSchema(t.Context(), &schema, behind), "the cache does not know the level yet")
	require.Equal(t, 1, behind.storeReads)

	cached := &fakeReader{cached: []string{"level"}}
	require.Empty(t, FlowSchema(t.Context(), &schema, cached))
	require.Zero(t, cached.storeReads, "the store is read only if the cache does not have the level")

	for _, mandatory := range []string{flowcontrolv1.PriorityLevelConfigurationNameExempt, flowcontrolv1.PriorityLevelConfigurationNameCatchAll} {
		schema.Spec.PriorityLevelConfiguration.Name = mandatory
		require.Empty(t, FlowSchema(t.Context(), &schema, &fakeReader{}), "%s is in force even if it is not stored", mandatory)
	}
}

func TestReadErrorsSuppressFindings(t *testing.T) {
	schema := everything("new", 10, aUser("alice"))
	stored := &fakeReader{schemas: []flowcontrol.FlowSchema{everything("first", 7, aUser(wildcard)), everything("other", 10, aUser(wildcard))}}
	require.Len(t, FlowSchema(t.Context(), &schema, stored), 2, "a missing level and a tie")
	stored.broken = errors.New("no store")
	require.Empty(t, FlowSchema(t.Context(), &schema, stored))
}

// builtIn returns the mandatory and suggested schemas, and the levels' names.
func builtIn(t *testing.T) (schemas []flowcontrol.FlowSchema, levels []string) {
	t.Helper()
	for _, object := range slices.Concat(bootstrap.MandatoryFlowSchemas, bootstrap.SuggestedFlowSchemas) {
		object = object.DeepCopy()
		flowcontrolconversion.SetObjectDefaults_FlowSchema(object)
		var schema flowcontrol.FlowSchema
		require.NoError(t, flowcontrolconversion.Convert_v1_FlowSchema_To_flowcontrol_FlowSchema(object, &schema, nil))
		schemas = append(schemas, schema)
	}
	for _, object := range slices.Concat(bootstrap.MandatoryPriorityLevelConfigurations, bootstrap.SuggestedPriorityLevelConfigurations) {
		levels = append(levels, object.Name)
	}
	return schemas, levels
}

func TestBuiltInSchemasHaveNoFindings(t *testing.T) {
	schemas, levels := builtIn(t)
	for i := range schemas {
		require.Empty(t, FlowSchema(t.Context(), &schemas[i], &fakeReader{schemas: schemas, cached: levels}), schemas[i].Name)
	}
}

// TestCopyOfABuiltInSchemaNeverMatches includes the schemas that precede both.
// The copy is the last one of its precedence.
func TestCopyOfABuiltInSchemaNeverMatches(t *testing.T) {
	schemas, levels := builtIn(t)
	stored := &fakeReader{schemas: schemas, cached: levels}
	for i := range schemas {
		if isMandatorySchema(schemas[i].Name) {
			continue
		}
		duplicate := *schemas[i].DeepCopy()
		duplicate.Name = "zz"
		findings := FlowSchema(t.Context(), &duplicate, stored)
		require.Len(t, findings, 2, duplicate.Name)
		require.Contains(t, findings[0].Message, fmt.Sprintf(`%q comes before it`, schemas[i].Name))
		require.Contains(t, findings[1].Message, fmt.Sprintf(`%d is also the precedence of %q, and`, schemas[i].Spec.MatchingPrecedence, schemas[i].Name))

		duplicate.Name = "-"
		require.Len(t, FlowSchema(t.Context(), &duplicate, stored), 1, "the copy of %s comes first now", schemas[i].Name)
	}
}

// BenchmarkFlowSchema measures the findings about one schema among 10,000.
func BenchmarkFlowSchema(b *testing.B) {
	const n = 10_000
	anybody := everything("new", 5000, aUser("alice"), aGroup("devs"))
	for _, test := range []struct {
		name   string
		stored func(i int) flowcontrol.FlowSchema
	}{
		{"random others", func(i int) flowcontrol.FlowSchema {
			schema := randomSchema(rand.New(rand.NewPCG(uint64(i), 1)), fmt.Sprint(i))
			schema.Spec.MatchingPrecedence = int32(2 + i)
			return schema
		}},
		{"others of the same precedence and other users", func(i int) flowcontrol.FlowSchema {
			return everything(fmt.Sprint(i), 5000, anAccount(fmt.Sprint(i), "*"))
		}},
		{"others of the same precedence and users", func(i int) flowcontrol.FlowSchema {
			schema := everything(fmt.Sprint(i), 5000, aUser("alice"), aGroup("devs"))
			schema.Spec.Rules[0].ResourceRules[0].Verbs = []string{"get"}
			return schema
		}},
		{"only the last one before it takes its requests", func(i int) flowcontrol.FlowSchema {
			if i == n-1 {
				return everything(fmt.Sprint(i), 4999, aUser(wildcard))
			}
			return everything(fmt.Sprint(i), 10, aUser(fmt.Sprint(i)))
		}},
	} {
		b.Run(test.name, func(b *testing.B) {
			stored := &fakeReader{cached: []string{"level", "present"}}
			for i := range n {
				stored.schemas = append(stored.schemas, test.stored(i))
			}
			for b.Loop() {
				FlowSchema(b.Context(), &anybody, stored)
			}
			require.Zero(b, stored.storeReads)
		})
	}
}
