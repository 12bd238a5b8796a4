package configsync

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrol "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

func TestTranslateLevel(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*flowcontrol.PriorityLevelConfiguration)
		want   func(*engine.LevelConfig)
		err    string
	}{
		"a level with queues": {},
		"a level without queues": {
			change: func(p *flowcontrol.PriorityLevelConfiguration) {
				p.Spec.Limited.LimitResponse = flowcontrol.LimitResponse{Type: flowcontrol.LimitResponseTypeReject}
			},
			want: func(c *engine.LevelConfig) { c.Config = queueset.Config{Discipline: queueset.Reject} },
		},
		"shares of zero stay zero (121089)": {
			change: func(p *flowcontrol.PriorityLevelConfiguration) {
				p.Spec.Limited.NominalConcurrencyShares = new(int32(0))
			},
			want: func(c *engine.LevelConfig) { c.Shares = 0 },
		},
		"shares that are not said are the default": {
			change: func(p *flowcontrol.PriorityLevelConfiguration) { p.Spec.Limited.NominalConcurrencyShares = nil },
			want:   func(c *engine.LevelConfig) { c.Shares = 30 },
		},
		"nothing is lent and borrowing is not bounded unless said": {
			change: func(p *flowcontrol.PriorityLevelConfiguration) {
				p.Spec.Limited.LendablePercent, p.Spec.Limited.BorrowingLimitPercent = nil, nil
			},
			want: func(c *engine.LevelConfig) { c.LendablePercent, c.BorrowingLimitPercent = 0, nil },
		},
		"a limited level without limits": {
			change: func(p *flowcontrol.PriorityLevelConfiguration) { p.Spec.Limited = nil },
			err:    `spec.limited must be set if, and only if, spec.type is "Limited"; spec.type is "Limited"`,
		},
		"a limited level with exemption": {
			change: func(p *flowcontrol.PriorityLevelConfiguration) {
				p.Spec.Exempt = &flowcontrol.ExemptPriorityLevelConfiguration{}
			},
			err: `spec.exempt must be set if, and only if, spec.type is "Exempt"; spec.type is "Limited"`,
		},
		"a level of no known type": {
			change: func(p *flowcontrol.PriorityLevelConfiguration) { p.Spec.Type, p.Spec.Limited = "Best", nil },
			err:    `spec.type must be "Limited" or "Exempt", not "Best"`,
		},
		"queues that are not described": {
			change: func(p *flowcontrol.PriorityLevelConfiguration) { p.Spec.Limited.LimitResponse.Queuing = nil },
			err:    `spec.limited.limitResponse.type must be "Reject" without queuing or "Queue" with it; it is "Queue"`,
		},
		"a hand that is too large": {
			change: func(p *flowcontrol.PriorityLevelConfiguration) { p.Spec.Limited.LimitResponse.Queuing.HandSize = 65 },
			err:    `priority level "l": 64 queues with hands of 65: hand size 65 must not exceed deck size 64`,
		},
		"the exempt level": {
			change: func(p *flowcontrol.PriorityLevelConfiguration) {
				p.Name = "exempt"
				p.Spec = flowcontrol.PriorityLevelConfigurationSpec{Type: flowcontrol.PriorityLevelEnablementExempt, Exempt: &flowcontrol.ExemptPriorityLevelConfiguration{
					NominalConcurrencyShares: new(int32(9)), LendablePercent: new(int32(20)),
				}}
			},
			want: func(c *engine.LevelConfig) {
				c.Name, c.Config = "exempt", queueset.Config{Discipline: queueset.Exempt}
				c.Share = allocation.Share{Shares: 9, LendablePercent: 20}
			},
		},
		"an exempt level of another name": {
			change: func(p *flowcontrol.PriorityLevelConfiguration) {
				p.Spec = flowcontrol.PriorityLevelConfigurationSpec{Type: flowcontrol.PriorityLevelEnablementExempt, Exempt: &flowcontrol.ExemptPriorityLevelConfiguration{}}
			},
			err: `priority level "l" has type Exempt: the level "exempt", and only that, must have type Exempt`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			object := queuing("l", 7)
			if c.change != nil {
				c.change(object)
			}
			got, err := translateLevel(object)
			if c.err != "" {
				assert.EqualError(t, err, c.err)
				return
			}
			require.NoError(t, err)
			want := engine.LevelConfig{
				Name: "l", UID: "uid-of-l", Ref: object,
				Config: queueset.Config{Discipline: queueset.Queue, Queues: 64, HandSize: 6, QueueLengthLimit: 50},
				Share:  allocation.Share{Shares: 7, LendablePercent: 50, BorrowingLimitPercent: new(int32(200))},
			}
			if c.want != nil {
				c.want(&want)
			}
			assert.Equal(t, want, got)
		})
	}
}

func TestTranslateSchema(t *testing.T) {
	object := forUser("s", "l", "alice")
	object.Spec.Rules[0].Subjects = append(object.Spec.Rules[0].Subjects,
		flowcontrol.Subject{Kind: flowcontrol.SubjectKindGroup, Group: &flowcontrol.GroupSubject{Name: "g"}},
		flowcontrol.Subject{Kind: flowcontrol.SubjectKindServiceAccount, ServiceAccount: &flowcontrol.ServiceAccountSubject{Namespace: "ns", Name: "sa"}})
	got, err := rules.SchemaOf(object)
	require.NoError(t, err)
	all := []string{"*"}
	assert.Equal(t, rules.Schema{
		Name: "s", UID: "uid-of-s", Level: "l", Precedence: 500, Distinguisher: rules.ByUser,
		Rules: []rules.Rule{{
			Subjects: []rules.Subject{
				{Kind: rules.User, Name: "alice"}, {Kind: rules.Group, Name: "g"},
				{Kind: rules.ServiceAccount, Namespace: "ns", Name: "sa"},
			},
			ResourceRules:    []rules.ResourceRule{{Verbs: all, APIGroups: all, Resources: all, ClusterScope: true, Namespaces: all}},
			NonResourceRules: []rules.NonResourceRule{{Verbs: []string{"get"}, URLs: []string{"/healthz"}}},
		}},
		Ref: object,
	}, got)

	object.Spec.DistinguisherMethod.Type = flowcontrol.FlowDistinguisherMethodByNamespaceType
	got, err = rules.SchemaOf(object)
	require.NoError(t, err)
	assert.Equal(t, rules.ByNamespace, got.Distinguisher)
	object.Spec.DistinguisherMethod = nil
	got, err = rules.SchemaOf(object)
	require.NoError(t, err)
	assert.Equal(t, rules.ByNothing, got.Distinguisher)
}

func TestTranslateSchemaErrors(t *testing.T) {
	object := forUser("s", "l", "alice")
	object.Spec.DistinguisherMethod.Type = "ByMoon"
	_, err := rules.SchemaOf(object)
	assert.EqualError(t, err, `spec.distinguisherMethod.type must be "ByUser" or "ByNamespace", not "ByMoon"`)

	object = forUser("s", "l", "alice")
	object.Spec.Rules[0].Subjects[0].User = nil
	_, err = rules.SchemaOf(object)
	assert.EqualError(t, err, `spec.rules[0].subjects[0]: kind must be User, Group or ServiceAccount, and the field of that kind must be set`)
}

func namesOf(configuration engine.Configuration) (levels, schemas []string) {
	for _, level := range configuration.Levels {
		levels = append(levels, level.Name)
	}
	for _, schema := range configuration.Schemas {
		schemas = append(schemas, schema.Name)
	}
	return levels, schemas
}

// The engine defines the mandatory objects as plain values, the library as API
// objects.
func TestMandatoryObjectsOfTheEngineAreThoseOfTheLibrary(t *testing.T) {
	configuration, problems := NewTranslator().Translate(bootstrap.MandatoryPriorityLevelConfigurations, bootstrap.MandatoryFlowSchemas)
	require.Empty(t, problems)
	for i := range configuration.Levels {
		configuration.Levels[i].Ref = nil
	}
	for i := range configuration.Schemas {
		configuration.Schemas[i].Ref = nil
	}
	assert.ElementsMatch(t, engine.MandatoryLevels(), configuration.Levels)
	assert.ElementsMatch(t, engine.MandatorySchemas(), configuration.Schemas)
}
