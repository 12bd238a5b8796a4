package configsync

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrol "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// replica is an engine with what translates for it.
type replica struct {
	translator *Translator
	engine     *engine.Engine
}

func newReplica() replica {
	return replica{NewTranslator(), engine.New(engine.Options{Total: 600})}
}

// update makes the replica see these objects, and returns what was invalid.
func (r replica) update(levels levels, schemas schemas) []engine.Problem {
	configuration, problems := r.translator.Translate(levels, schemas)
	return append(problems, r.engine.Apply(configuration)...)
}

// enforced returns the levels and the schemas in effect, in order.
func (r replica) enforced() (levels []engine.LevelConfig, schemas []string) {
	for _, level := range r.engine.Report().Levels {
		level.Config.Ref = nil
		levels = append(levels, level.Config)
	}
	for _, schema := range r.engine.Schemas() {
		schemas = append(schemas, schema.Name+" of "+schema.UID)
	}
	return levels, schemas
}

func invalidSchema(name string) *flowcontrol.FlowSchema {
	schema := forUser(name, "l", "alice")
	schema.Spec.Rules[0].Subjects[0].User = nil
	return schema
}

// One replica saw valid versions of the objects before, another one starts with what is stored now.
func TestReplicasEnforceTheSameWhateverTheySawBefore(t *testing.T) {
	catchAll := bootstrap.MandatoryPriorityLevelConfigurationCatchAll.DeepCopy()
	catchAll.Spec.Limited.NominalConcurrencyShares = new(int32(77))
	recreated := malformed("l")
	recreated.UID = "another"
	recreatedSchema := invalidSchema("s")
	recreatedSchema.UID = "another"
	schema := forUser("s", "l", "alice")
	for name, c := range map[string]struct {
		before, now levels
		beforeOf    schemas
		nowOf       schemas
		problems    int
		inEffect    []string
	}{
		"an invalid level": {
			levels{queuing("l", 9)}, levels{malformed("l")}, schemas{schema}, schemas{schema}, 1, []string{"catch-all", "exempt"},
		},
		"an invalid level, created again under the name": {
			levels{queuing("l", 9)}, levels{recreated}, schemas{schema}, schemas{schema}, 1, []string{"catch-all", "exempt"},
		},
		"an invalid schema": {
			levels{queuing("l", 9)}, levels{queuing("l", 9)}, schemas{schema}, schemas{invalidSchema("s")}, 1, []string{"catch-all", "exempt", "l"},
		},
		"an invalid schema, created again under the name": {
			levels{queuing("l", 9)}, levels{queuing("l", 9)}, schemas{schema}, schemas{recreatedSchema}, 1, []string{"catch-all", "exempt", "l"},
		},
		"an invalid mandatory level": {
			levels{catchAll}, levels{malformed("catch-all")}, nil, nil, 1, []string{"catch-all", "exempt"},
		},
		"an invalid mandatory schema": {
			nil, nil, schemas{forUser("catch-all", "catch-all", "*")}, schemas{invalidSchema("catch-all")}, 1, []string{"catch-all", "exempt"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			old, restarted := newReplica(), newReplica()
			require.Empty(t, old.update(c.before, c.beforeOf))
			before, beforeOf := old.enforced()
			assert.Len(t, old.update(c.now, c.nowOf), c.problems)
			assert.Len(t, restarted.update(c.now, c.nowOf), c.problems)

			gotLevels, gotSchemas := old.enforced()
			wantLevels, wantSchemas := restarted.enforced()
			assert.Equal(t, wantLevels, gotLevels)
			assert.Equal(t, wantSchemas, gotSchemas)
			assert.Equal(t, restarted.translator.Status(), old.translator.Status())
			var names []string
			for _, level := range gotLevels {
				names = append(names, level.Name)
			}
			assert.Equal(t, c.inEffect, names)
			assert.False(t, assert.ObjectsAreEqual(before, gotLevels) && assert.ObjectsAreEqual(beforeOf, gotSchemas), "or nothing was tested")
		})
	}
}

func TestWhatIsValidAgainTakesEffectAgain(t *testing.T) {
	r := newReplica()
	schema := forUser("s", "l", "alice")
	require.Empty(t, r.update(levels{queuing("l", 9)}, schemas{schema}))
	before, beforeOf := r.enforced()
	require.Len(t, r.update(levels{malformed("l")}, schemas{invalidSchema("s")}), 2)
	require.Len(t, r.update(levels{malformed("l")}, schemas{invalidSchema("s")}), 2, "it is reported as long as it is stored")
	require.Empty(t, r.update(levels{queuing("l", 9)}, schemas{schema}))
	after, afterOf := r.enforced()
	assert.Equal(t, before, after)
	assert.Equal(t, beforeOf, afterOf)
	require.Len(t, r.update(levels{queuing("l", 9)}, schemas{invalidSchema("s")}), 1)
	require.Empty(t, r.update(levels{queuing("l", 9)}, nil), "a deleted object is not reported")
}
