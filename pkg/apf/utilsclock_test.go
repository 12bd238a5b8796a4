package apf

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	utilclock "k8s.io/utils/clock"
	testingclock "k8s.io/utils/clock/testing"
)

func TestClockOfUtilsTellsTheTimeSinceItWasTaken(t *testing.T) {
	fake := testingclock.NewFakeClock(time.Unix(1000, 0))
	c := newUtilsClock(fake)
	assert.Zero(t, c.Now())
	fake.Step(3 * time.Second)
	assert.Equal(t, 3*time.Second, c.Now())
	assert.Equal(t, time.Unix(1003, 0), c.Wall(c.Now()))
	machine := newUtilsClock(utilclock.RealClock{})
	assert.GreaterOrEqual(t, machine.Now(), time.Duration(0))
}

// A FakeClock calls while it is locked, and blocks when a timer is due for the second
// time.
func TestCallsOfAClockOfUtilsMayTellTheTimeAndBeScheduledAgain(t *testing.T) {
	fake := testingclock.NewFakeClock(time.Unix(1000, 0))
	c := newUtilsClock(fake)
	called := make(chan time.Duration)
	timer := c.AfterFunc(time.Second, func() { called <- c.Now() })
	for round := range 3 {
		fake.Step(time.Second)
		assert.Equal(t, time.Duration(round+1)*time.Second, <-called)
		assert.False(t, timer.Reset(time.Second), "it was not pending")
	}
	assert.True(t, timer.Reset(time.Hour), "it was pending")
	assert.True(t, timer.Stop())
	assert.False(t, timer.Stop())
	fake.Step(2 * time.Hour)
	assert.False(t, timer.Reset(time.Second))
	fake.Step(time.Second)
	assert.Equal(t, 2*time.Hour+4*time.Second, <-called, "the canceled calls are not made")
}
