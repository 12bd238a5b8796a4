package configsync

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrol "k8s.io/api/flowcontrol/v1"
	testclock "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

type (
	levels  = []*flowcontrol.PriorityLevelConfiguration
	schemas = []*flowcontrol.FlowSchema
)

func statusOf(levels levels, schemas schemas) engine.ConfigurationStatus {
	translator := NewTranslator()
	translator.Translate(levels, schemas)
	return translator.Status()
}

func TestHashIdentifiesWhatIsInForce(t *testing.T) {
	base := statusOf(levels{queuing("a", 1), queuing("b", 2)}, schemas{forUser("s", "a", "alice")}).Hash
	recreated := queuing("a", 1)
	recreated.UID, recreated.ResourceVersion, recreated.Labels = "another", "7", map[string]string{"x": "y"}
	for name, c := range map[string]struct {
		levels  levels
		schemas schemas
		same    bool
	}{
		"the same objects in another order":      {levels{queuing("b", 2), queuing("a", 1)}, schemas{forUser("s", "a", "alice")}, true},
		"an object that was recreated":           {levels{recreated, queuing("b", 2)}, schemas{forUser("s", "a", "alice")}, true},
		"an invalid object more":                 {levels{queuing("a", 1), queuing("b", 2), malformed("c")}, schemas{forUser("s", "a", "alice")}, true},
		"other shares":                           {levels{queuing("a", 3), queuing("b", 2)}, schemas{forUser("s", "a", "alice")}, false},
		"another subject":                        {levels{queuing("a", 1), queuing("b", 2)}, schemas{forUser("s", "a", "bob")}, false},
		"one level less":                         {levels{queuing("a", 1)}, schemas{forUser("s", "a", "alice")}, false},
		"no schema":                              {levels{queuing("a", 1), queuing("b", 2)}, nil, false},
		"specifications exchanged between names": {levels{queuing("a", 2), queuing("b", 1)}, schemas{forUser("s", "a", "alice")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			hash := statusOf(c.levels, c.schemas).Hash
			assert.Regexp(t, "^sha256:[0-9a-f]{64}$", hash)
			assert.Equal(t, c.same, hash == base)
		})
	}
}

func TestStatusCountsObjectsByWhetherTheyAreInForce(t *testing.T) {
	invalid := forUser("broken", "a", "alice")
	invalid.Spec.Rules[0].Subjects[0].User = nil
	status := statusOf(levels{queuing("a", 1), malformed("b")}, schemas{
		forUser("s", "a", "alice"), forUser("of a mandatory level that the API lacks", "catch-all", "alice"),
		forUser("d", "nowhere", "alice"), forUser("e", "b", "alice"), invalid,
	})
	assert.Equal(t, map[engine.Kind]map[engine.ObjectState]int{
		engine.LevelKind:  {engine.Enforced: 1, engine.Invalid: 1},
		engine.SchemaKind: {engine.Enforced: 2, engine.Dangling: 2, engine.Invalid: 1},
	}, status.Objects)
}

func TestControllerReportsWhatIsInForceAndWhatIsPending(t *testing.T) {
	start := time.Unix(1000, 0)
	f := newFixture(t, testclock.NewFakeClock(start))
	controller, err := New(f.config)
	require.NoError(t, err)
	assert.Zero(t, controller.Status(), "nothing is in force yet")

	level := queuing("l", 1)
	require.NoError(t, f.config.Levels.GetStore().Add(level))
	controller.noticed(level, "added")
	assert.Equal(t, 1, controller.Status().Pending)
	f.engine.work = func() { controller.noticed(level, "updated") }
	controller.apply()
	status := controller.Status()
	assert.Equal(t, start, status.AppliedAt)
	assert.Equal(t, 1, status.Objects[engine.LevelKind][engine.Enforced])
	assert.Equal(t, 1, status.Pending, "a change that arrives during the application is in the next one")
}
