package lint

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/utils/clock"
)

// fakeReader is an in-memory configuration.
type fakeReader struct {
	schemas []flowcontrolv1.FlowSchema
	// cached are the levels in the cache; written are those in the store.
	cached, written []string
	levels          []*flowcontrolv1.PriorityLevelConfiguration
	broken          error
	storeReads      int
}

func (s *fakeReader) FlowSchemas(_ context.Context, users UserMask) ([]*Compared, error) {
	return slices.DeleteFunc(comparedOf(pointers(s.schemas)), func(schema *Compared) bool { return !users.MayIntersect(schema.Mask()) }), s.broken
}

func pointers(schemas []flowcontrolv1.FlowSchema) []*flowcontrolv1.FlowSchema {
	var found []*flowcontrolv1.FlowSchema
	for i := range schemas {
		found = append(found, &schemas[i])
	}
	return found
}

func (s *fakeReader) PriorityLevels(context.Context) ([]*flowcontrolv1.PriorityLevelConfiguration, error) {
	return s.levels, s.broken
}

func (s *fakeReader) LevelExists(_ context.Context, name string) (bool, error) {
	return slices.Contains(s.cached, name), s.broken
}

func (s *fakeReader) LevelIsAbsent(_ context.Context, name string) (bool, error) {
	s.storeReads++
	return !slices.Contains(s.written, name), s.broken
}

// everything returns a schema that matches all requests of the subjects.
func everything(name string, precedence int32, subjects ...flowcontrolv1.Subject) flowcontrolv1.FlowSchema {
	wild := []string{wildcard}
	return schemaOf(name, precedence, flowcontrolv1.PolicyRulesWithSubjects{
		Subjects:         subjects,
		ResourceRules:    []flowcontrolv1.ResourcePolicyRule{{Verbs: wild, APIGroups: wild, Resources: wild, ClusterScope: true, Namespaces: wild}},
		NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: wild, NonResourceURLs: wild}},
	})
}

func schemaOf(name string, precedence int32, rules ...flowcontrolv1.PolicyRulesWithSubjects) flowcontrolv1.FlowSchema {
	schema := flowcontrolv1.FlowSchema{}
	schema.Name = name
	schema.Spec.MatchingPrecedence = precedence
	schema.Spec.PriorityLevelConfiguration.Name = "level"
	schema.Spec.Rules = rules
	return schema
}

func TestAdviceSaysWhatIsWrongAndWhatToDo(t *testing.T) {
	dangling := everything("dangling", 5, aGroup(wildcard))
	dangling.Spec.PriorityLevelConfiguration.Name = "other"
	many := []flowcontrolv1.FlowSchema{everything("b", 10, aUser(wildcard)), everything("c", 10, aUser(wildcard)), everything("d", 10, aUser(wildcard)), everything("e", 10, aUser(wildcard)), everything("f", 10, aUser(wildcard))}
	exempt := everything(flowcontrolv1.FlowSchemaNameExempt, 1, aGroup("system:masters"))
	exempt.Spec.PriorityLevelConfiguration.Name = flowcontrolv1.PriorityLevelConfigurationNameExempt // enforced, though it is not stored
	elsewhere := everything("other", 10, aUser("alice"))
	elsewhere.Spec.PriorityLevelConfiguration.Name = "other"
	for _, test := range []struct {
		name   string
		schema flowcontrolv1.FlowSchema
		stored []flowcontrolv1.FlowSchema
		want   []string
	}{
		{"alone", everything("new", 10, aUser("alice")), nil, nil},
		{"its own stored version", everything("new", 10, aUser("alice")), []flowcontrolv1.FlowSchema{everything("new", 10, aUser("alice"))}, nil},
		{"its own stored version at another precedence", everything("new", 10, aUser("alice")), []flowcontrolv1.FlowSchema{everything("new", 5, aUser("alice"))}, nil},
		{"a level that is missing", dangling, nil, []string{
			`FC101 (info): spec.priorityLevelConfiguration.name: No priority level "other" exists, so no request matches this FlowSchema until it does. Create the PriorityLevelConfiguration, or name an existing one.`,
		}},
		{"after a schema whose level is missing", everything("new", 10, aUser("alice")), []flowcontrolv1.FlowSchema{dangling}, nil},
		{"after one that takes all its requests", everything("new", 10, aUser("alice")), []flowcontrolv1.FlowSchema{everything("first", 7, aGroup("system:authenticated"))}, []string{
			`FC103: spec.matchingPrecedence: This FlowSchema can never match: "first" comes before it and matches all its requests. Set matchingPrecedence below 7, or delete the FlowSchema.`,
		}},
		{"after two that together take all its requests", everything("new", 10, aUser("alice"), aUser("bob")), []flowcontrolv1.FlowSchema{everything("a", 7, aUser("alice")), everything("b", 6, aUser("bob"))}, []string{
			`FC103: spec.matchingPrecedence: This FlowSchema can never match: "a" and "b" come before it and together match all its requests. Set matchingPrecedence below 6, or delete the FlowSchema.`,
		}},
		{"after two, and one matches all its requests", everything("new", 10, aUser("alice"), aUser("bob")), []flowcontrolv1.FlowSchema{everything("a", 7, aUser("alice")), everything("b", 6, aUser("*"))}, []string{
			`FC103: spec.matchingPrecedence: This FlowSchema can never match: "b" comes before it and matches all its requests. Set matchingPrecedence below 6, or delete the FlowSchema.`,
		}},
		{"after exempt", everything("new", 2, aGroup("system:masters")), []flowcontrolv1.FlowSchema{exempt}, []string{
			`FC103: spec.matchingPrecedence: This FlowSchema can never match: "exempt" comes before it and matches all its requests. Change its rules, or delete the FlowSchema.`,
		}},
		{"before another of the same precedence and level", everything("new", 10, aUser("alice")), []flowcontrolv1.FlowSchema{everything("other", 10, aUser("alice"))}, []string{
			`FC104 (info): spec.matchingPrecedence: 10 is also the precedence of "other", and some requests match both; this FlowSchema gets them, because names decide and "new" sorts first. Give each its own precedence, in the order of matching that you want.`,
		}},
		{"before another of the same precedence and another level", everything("new", 10, aUser("alice")), []flowcontrolv1.FlowSchema{elsewhere}, []string{
			`FC104: spec.matchingPrecedence: 10 is also the precedence of "other", and some requests match both; this FlowSchema gets them, because names decide and "new" sorts first. Give each its own precedence, in the order of matching that you want.`,
		}},
		{"before another that perhaps has the same users", everything("new", 10, aGroup("devs")), []flowcontrolv1.FlowSchema{elsewhere}, []string{
			`FC104 (info): spec.matchingPrecedence: 10 is also the precedence of "other", and some requests match both; this FlowSchema gets them, because names decide and "new" sorts first. Give each its own precedence, in the order of matching that you want.`,
		}},
		{"after another of the same precedence", everything("z", 10, aGroup("devs")), []flowcontrolv1.FlowSchema{everything("other", 10, aUser("alice"))}, []string{
			`FC104 (info): spec.matchingPrecedence: 10 is also the precedence of "other", and some requests match both; "other" gets them, because names decide and "other" sorts before "z". Give each its own precedence, in the order of matching that you want.`,
		}},
		{"between two of the same precedence", everything("m", 10, aGroup("devs")), []flowcontrolv1.FlowSchema{everything("a", 10, aUser("alice")), everything("z", 10, aUser("alice"))}, []string{
			`FC104 (info): spec.matchingPrecedence: 10 is also the precedence of "a" and "z", and some requests match both; names decide: "a" sorts before this FlowSchema, which comes before "z". Give each its own precedence, in the order of matching that you want.`,
		}},
		{"after another of the same precedence that takes all its requests", everything("z", 10, aUser("alice")), []flowcontrolv1.FlowSchema{everything("other", 10, aUser("alice"))}, []string{
			`FC103: spec.matchingPrecedence: This FlowSchema can never match: "other" comes before it and matches all its requests. Set matchingPrecedence below 10, or delete the FlowSchema.`,
		}},
		{"before many of the same precedence", everything("a", 10, aUser("alice")), many, []string{
			`FC104 (info): spec.matchingPrecedence: 10 is also the precedence of "b", "c", "d" and 2 more, and some requests match both; this FlowSchema gets them, because names decide and "a" sorts first. Give each its own precedence, in the order of matching that you want.`,
		}},
		{"before more of the same precedence than maxTied", everything("a", 10, aUser("alice")), slices.Repeat(many[:1], 100), []string{
			`FC104 (info): spec.matchingPrecedence: 10 is also the precedence of "b", "b", "b" and 17 or more others, and some requests match both; this FlowSchema gets them, because names decide and "a" sorts first. Give each its own precedence, in the order of matching that you want.`,
		}},
		{"with catch-all, which is always last", everything("new", 10000, aUser("alice")), []flowcontrolv1.FlowSchema{everything(flowcontrolv1.FlowSchemaNameCatchAll, 10000, aUser(wildcard))}, nil},
		{"without rules", schemaOf("new", 10), []flowcontrolv1.FlowSchema{everything("first", 7, aUser(wildcard))}, []string{
			`FC102: spec.rules: This FlowSchema has no rules, so no request matches it. Add a rule, or delete the FlowSchema.`,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			stored := &fakeReader{schemas: test.stored, cached: []string{"level"}, written: []string{"level"}}
			require.Equal(t, test.want, texts(adviseOn(t, &test.schema, stored)))
		})
	}
}

// adviseOn returns the findings about an updated schema, without built-in objects.
func adviseOn(t testing.TB, schema *flowcontrolv1.FlowSchema, stored Reader) []Finding {
	t.Helper()
	advisor := NewAdvisor(Defaults{}, 0, clock.RealClock{})
	return append(advisor.MissingLevel(t.Context(), schema, stored), advisor.FlowSchema(t.Context(), schema, stored)...)
}

func texts(findings []Finding) []string {
	var texts []string
	for _, finding := range findings {
		texts = append(texts, finding.String())
	}
	return texts
}

func TestMissingLevelIsConfirmedByTheStore(t *testing.T) {
	schema := everything("new", 10, aUser("alice"))
	require.Len(t, adviseOn(t, &schema, &fakeReader{}), 1)

	behind := &fakeReader{written: []string{"level"}}
	require.Empty(t, adviseOn(t, &schema, behind), "the cache does not know the level yet")
	require.Equal(t, 1, behind.storeReads)

	cached := &fakeReader{cached: []string{"level"}}
	require.Empty(t, adviseOn(t, &schema, cached))
	require.Zero(t, cached.storeReads, "the store is read only if the cache does not have the level")

	for _, mandatory := range []string{flowcontrolv1.PriorityLevelConfigurationNameExempt, flowcontrolv1.PriorityLevelConfigurationNameCatchAll} {
		schema.Spec.PriorityLevelConfiguration.Name = mandatory
		require.Empty(t, adviseOn(t, &schema, &fakeReader{}), "%s is in force even if it is not stored", mandatory)
	}
}

func TestWhoCreatesASchemaIsNotWarnedOfAMissingLevel(t *testing.T) {
	schema := everything("new", 10, aUser("alice"))
	require.Empty(t, NewAdvisor(Defaults{}, 0, clock.RealClock{}).FlowSchema(t.Context(), &schema, &fakeReader{}))
}

func TestReadErrorsReplaceFindings(t *testing.T) {
	schema := everything("new", 10, aUser("alice"))
	stored := &fakeReader{schemas: []flowcontrolv1.FlowSchema{everything("first", 7, aUser(wildcard)), everything("other", 10, aUser(wildcard))}}
	require.Len(t, adviseOn(t, &schema, stored), 2, "a missing level and a schema that takes all its requests")
	stored.broken = errors.New("no store")
	require.Equal(t, []string{"FC115: Not all was checked: the server could not read the stored FlowSchemas in time. Check it with kubectl apf lint."},
		texts(adviseOn(t, &schema, stored)))
}

// release returns the built-in objects.
func release() Defaults {
	return Defaults{
		FlowSchemas:    slices.Concat(bootstrap.MandatoryFlowSchemas, bootstrap.SuggestedFlowSchemas),
		PriorityLevels: slices.Concat(bootstrap.MandatoryPriorityLevelConfigurations, bootstrap.SuggestedPriorityLevelConfigurations),
	}
}

// stored returns a reader of the built-in objects.
func (d Defaults) stored() *fakeReader {
	reader := &fakeReader{levels: completeLevels(d.PriorityLevels)}
	for _, schema := range d.FlowSchemas {
		reader.schemas = append(reader.schemas, *schema)
	}
	for _, level := range d.PriorityLevels {
		reader.cached = append(reader.cached, level.Name)
	}
	return reader
}

func TestWritesOfBuiltInObjectsHaveNoFindings(t *testing.T) {
	advisor, stored := NewAdvisor(release(), 600, clock.RealClock{}), release().stored()
	for _, schema := range release().FlowSchemas {
		require.Empty(t, advisor.FlowSchema(t.Context(), schema, stored), schema.Name)
	}
	for _, level := range stored.levels {
		require.Empty(t, advisor.PriorityLevel(t.Context(), level, stored), level.Name)
	}
}

// TestCopyOfABuiltInSchemaNeverMatches includes the schemas that precede both.
// The copy is the last one of its precedence.
func TestCopyOfABuiltInSchemaNeverMatches(t *testing.T) {
	for _, schema := range bootstrap.SuggestedFlowSchemas {
		duplicate := *schema.DeepCopy()
		duplicate.Name = "zz"
		findings := codesOf(NewAdvisor(release(), 600, clock.RealClock{}).FlowSchema(t.Context(), &duplicate, release().stored()))
		require.Equal(t, []Code{DeletedByServer, NeverMatches}, findings[:2], schema.Name)
	}
}

func codesOf(findings []Finding) []Code {
	codes := []Code{}
	for _, finding := range findings {
		codes = append(codes, finding.Code)
	}
	return codes
}
