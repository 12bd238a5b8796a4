package engine_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/prioritylevel"
)

// On one processor whatever runs keeps all else waiting. Two goroutines that yield
// take turns there, so a request runs at each of Apply's breaths, however fast the
// machine is. Left to the scheduler, which steps in every 10 ms, a handful would.
func TestRequestsRunWhileAConfigurationIsAppliedOnTheirProcessor(t *testing.T) {
	processors := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(processors)
	e := engine.New(clock.NewReal(), 1, 100)
	c := engine.Configuration{Total: 100, Levels: []prioritylevel.Config{queuing("a", 5)}}
	const schemas, loops, breath = 8000, 2, 128
	for i := range schemas {
		c.Schemas = append(c.Schemas, schemaOf(fmt.Sprint("schema-", i), "a", int32(1+i)))
	}
	var stop atomic.Bool
	requests := make(chan int)
	go func() {
		n := 0
		for ; !stop.Load(); n++ {
			ticket := e.Begin()
			ticket.Classify()
			ticket.End()
			runtime.Gosched()
		}
		requests <- n
	}()
	runtime.Gosched()
	require.Empty(t, e.Apply(c))
	stop.Store(true)
	assert.GreaterOrEqual(t, <-requests, loops*schemas/breath)
}
