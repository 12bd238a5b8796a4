package clock_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
)

func TestFakeCallsInOrderOfTimeAndOfSetting(t *testing.T) {
	origin := time.Unix(1000, 0)
	c := clock.NewFake(origin)
	var calls []string
	say := func(what string) func() { return func() { calls = append(calls, what) } }
	c.AfterFunc(2*time.Second, say("second"))
	c.AfterFunc(time.Second, say("first"))
	c.AfterFunc(time.Second, say("first again"))
	stopped := c.AfterFunc(time.Second, say("stopped"))
	moved := c.AfterFunc(time.Second, say("moved"))
	assert.True(t, stopped.Stop())
	assert.False(t, stopped.Stop())
	assert.True(t, moved.Reset(3*time.Second))
	c.AfterFunc(time.Second, func() { c.AfterFunc(-time.Second, say("nested")) })
	c.Advance(2 * time.Second)
	assert.Equal(t, []string{"first", "first again", "nested", "second"}, calls)
	assert.Equal(t, 2*time.Second, c.Now())
	assert.Equal(t, origin.Add(2*time.Second), c.Wall(c.Now()))
	assert.True(t, c.Step())
	assert.Equal(t, 3*time.Second, c.Now())
	assert.Equal(t, "moved", calls[len(calls)-1])
	assert.False(t, moved.Reset(time.Second))
	c.Advance(time.Second)
	assert.Len(t, calls, 6)
	assert.False(t, c.Step())
	c.AdvanceTo(time.Second)
	assert.Equal(t, 4*time.Second, c.Now(), "it never goes back")
}

func TestRealTellsTheTimeSinceItsOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		origin := time.Now()
		c := clock.NewReal()
		called := make(chan time.Duration)
		c.AfterFunc(time.Minute, func() { called <- c.Now() })
		assert.Equal(t, time.Minute, <-called)
		assert.True(t, origin.Add(time.Minute).Equal(c.Wall(c.Now())))
	})
}
