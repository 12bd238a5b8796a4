package engine_test

import (
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

func TestTheLargestLevelThatIsValidServes(t *testing.T) {
	largest := queuing("largest", math.MaxInt32)
	largest.Queues, largest.HandSize, largest.QueueLengthLimit = 10_000_000, 1, math.MaxInt32
	largest.BorrowingLimitPercent = new(int32(math.MaxInt32))
	f := newFixture(t, 600)
	f.apply(engine.Configuration{
		Levels:  []engine.LevelConfig{largest, queuing("a", math.MaxInt32)},
		Schemas: []rules.Schema{schemaOf("largest", "largest", 10)},
	})
	f.admit("largest").Finish()
	level, _ := f.level("largest")
	assert.Equal(t, 300, level.Limits.Nominal)
	assert.Equal(t, 600, level.Limits.Upper)
}

// A level without shares admits nothing (issue 134196). A level that has lent
// all its seats keeps one: without queues it could not show demand to reclaim
// them.
func TestALevelThatHasLentAllItsSeatsLetsOneRequestIn(t *testing.T) {
	f := newFixture(t, 100)
	lender, closed := rejecting("lender", 30), rejecting("closed", 0)
	lender.LendablePercent = 100
	f.apply(engine.Configuration{
		Levels:  []engine.LevelConfig{lender, closed, rejecting("keeper", 60)},
		Schemas: []rules.Schema{schemaOf("lender", "lender", 10), schemaOf("closed", "closed", 20)},
	})
	report, _ := f.level("lender")
	require.Equal(t, 1, report.Seats.Current, "nobody has used it yet")
	first := f.admit("lender")
	f.reject("lender")
	f.reject("closed")

	f.clock.Advance(5 * time.Second)
	first.Finish()
	f.clock.Advance(5 * time.Second)
	f.engine.Rebalance()
	f.admit("lender").Finish()
	f.reject("closed")
	report, _ = f.level("closed")
	assert.Zero(t, report.Seats.Current, "what has no shares is closed, however many ask")
}

func TestCapacityIsThatOfAllLevelsUntilTheyHaveDrained(t *testing.T) {
	r := &recorder{}
	c := clock.NewFake(time.Unix(0, 0))
	f := &fixture{t: t, clock: c, engine: engine.New(engine.Options{Clock: c, Total: 100, Observer: r})}
	requireCapacity := func(wantWaiting, wantSeats int) {
		t.Helper()
		waiting, seats := r.division.Capacity()
		assert.Equal(t, []int{wantWaiting, wantSeats}, []int{waiting, seats})
	}
	requireCapacity(0, 100)
	f.apply(engine.Configuration{Levels: []engine.LevelConfig{queuing("a", 10)}, Schemas: []rules.Schema{schemaOf("a", "a", 10)}})
	requireCapacity(8*50, 34+67)
	running := f.admit("a")
	f.apply(engine.Configuration{})
	requireCapacity(8*50, 34+67)
	running.Finish()
	requireCapacity(0, 100)
}

// On one processor two goroutines that yield take turns, so a request runs
// whenever Apply yields. If Apply did not yield, the scheduler would preempt it
// only every 10 ms, and few requests would run.
func TestRequestsRunWhileAConfigurationIsAppliedOnTheirProcessor(t *testing.T) {
	processors := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(processors)
	e := engine.New(engine.Options{Total: 100})
	c := engine.Configuration{Levels: []engine.LevelConfig{queuing("a", 5)}}
	const schemas, loops, interval = 8000, 2, 128
	for i := range schemas {
		c.Schemas = append(c.Schemas, schemaOf(fmt.Sprint("schema-", i), "a", int32(1+i)))
	}
	var stop atomic.Bool
	requests := make(chan int)
	go func() {
		n := 0
		for ; !stop.Load(); n++ {
			request := e.Begin()
			request.Classify()
			request.End()
			runtime.Gosched()
		}
		requests <- n
	}()
	runtime.Gosched()
	require.Empty(t, e.Apply(c))
	stop.Store(true)
	assert.GreaterOrEqual(t, <-requests, loops*schemas/interval)
}
