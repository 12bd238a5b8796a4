package configsync

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

func TestWhatAControllerCallsMayAskForItsStatus(t *testing.T) {
	f := newFixture(t, clock.RealClock{})
	var c *Controller
	f.engine.problems = []engine.Problem{{Kind: engine.SchemaKind, Name: "any", Err: errors.New("invalid")}}
	f.engine.work = func() { c.Status() }
	reported := false
	f.config.Report = func(engine.Problem) { reported = true; c.Status() }
	c, err := New(f.config)
	assert.NoError(t, err)
	eventually.Returns(t, "the objects are applied", c.apply)
	assert.True(t, reported)
}
