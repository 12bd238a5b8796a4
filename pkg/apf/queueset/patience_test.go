package queueset_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// A flow sends twice as much as is served. Most of its clients leave after two seconds, some never do.
func TestNobodyExecutesForThoseWhoHaveLeft(t *testing.T) {
	f := newFixture(t, queues(64, 6, 50), 2)
	random := rand.New(rand.NewPCG(4, 9))
	const patience = 2 * time.Second
	useless, served, patient := 0, 0, 0
	for i := range 1200 {
		stays := i%20 == 0
		r := f.request("a", wide(1))
		execute := func() {
			f.clock.AfterFunc(time.Duration(100+random.IntN(200))*time.Millisecond, func() {
				switch took := f.clock.Now() - r.Arrived(); {
				case stays:
					patient++
					assert.Less(t, took, 3*patience)
				case took > patience:
					useless++
				default:
					served++
				}
				f.set.Finish(r)
			})
		}
		r.Dispatched = execute
		if f.set.Arrive(r) == queueset.Seated {
			execute()
		} else if !stays {
			f.clock.AfterFunc(patience, func() { f.set.Leave(r, stats.Cancelled) })
		}
		f.clock.Advance(50 * time.Millisecond)
		require.NoError(t, f.set.Inconsistency())
	}
	f.clock.Advance(time.Minute)
	assert.Equal(t, 60, patient, "clients that stay are served")
	assert.Greater(t, served, 450)
	assert.LessOrEqual(t, useless, (served+useless)/50)
	assert.True(t, f.set.Idle())
}
