package statussync

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// write counts a write if the limit allows it. Otherwise it returns the time to
// wait.
func (l writeLimiter) write(name string, now time.Time) time.Duration {
	wait := l.wait(name, now)
	if wait == 0 {
		l.record(name, now)
	}
	return wait
}

func TestSixWritesAMinute(t *testing.T) {
	b := writeLimiter{}
	now := time.Unix(1000, 0)
	for i := range 6 {
		require.Zero(t, b.write("s", now.Add(time.Duration(i)*time.Second)), "write %d", i+1)
	}
	assert.Equal(t, 55*time.Second+1, b.write("s", now.Add(5*time.Second)))
	assert.Zero(t, b.write("other", now.Add(5*time.Second)), "each object has its own")
	assert.Equal(t, time.Duration(1), b.write("s", now.Add(time.Minute)))
	assert.Zero(t, b.write("s", now.Add(time.Minute+1)))
	assert.Equal(t, time.Second, b.write("s", now.Add(time.Minute+1)))
}

func TestNoMinuteEverHasMoreThanSixWrites(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 1))
	b := writeLimiter{}
	now := time.Unix(1000, 0)
	var writes []time.Time
	for range 20000 {
		now = now.Add(time.Duration(random.Int64N(int64(8 * time.Second))))
		if b.write("s", now) == 0 {
			writes = append(writes, now)
		}
	}
	for i := 6; i < len(writes); i++ {
		require.Greater(t, writes[i].Sub(writes[i-6]), time.Minute)
	}
	assert.Greater(t, len(writes), 1000)
}
