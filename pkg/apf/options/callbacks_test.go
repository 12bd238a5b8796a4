package options

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// A new configuration makes room for a request, and what is then called asks where the
// configuration comes from, and applies another.
func TestWhatANewConfigurationCallsMayUseFlowControl(t *testing.T) {
	o := NewOptions()
	o.Seats = 10
	_, f := server(t, o, http.NotFoundHandler())
	request := func() *engine.Request {
		r := f.Engine().Begin()
		r.Attributes.User, r.Attributes.Groups = "alice", []string{user.AllAuthenticated}
		r.Attributes.Verb, r.Attributes.Path = "get", "/work"
		r.Classify()
		return r
	}
	waiting := request()
	for held := request(); held.Arrive(seats.Work{Initial: 1}) == queueset.Seated; held = request() {
	}
	called := false
	levels, schemas := BuiltIn()
	waiting.Decided = func() {
		called = true
		assert.Equal(t, builtIn, f.Status().Source, "until it is applied")
		f.TotalStatus()
		f.ConfigurationStatus()
		assert.Empty(t, f.Apply(BuiltIn()))
		waiting.Finish()
		waiting.End()
	}
	require.Equal(t, queueset.Waiting, waiting.Arrive(seats.Work{Initial: 1}))
	large := levelOf(t, levels, waiting.Level().Name).DeepCopy()
	large.Spec.Limited.NominalConcurrencyShares = new(int32(1000))
	eventually.Returns(t, "it is applied", func() {
		f.sources.offer(fromFile, "file", []*flowcontrolv1.PriorityLevelConfiguration{large}, schemas, nil)
	})
	assert.True(t, called)
	assert.Equal(t, fromFile, f.Status().Source)
}

func levelOf(t *testing.T, levels []*flowcontrolv1.PriorityLevelConfiguration, name string) *flowcontrolv1.PriorityLevelConfiguration {
	t.Helper()
	for _, level := range levels {
		if level.Name == name {
			return level
		}
	}
	require.Fail(t, "no priority level", name)
	return nil
}
