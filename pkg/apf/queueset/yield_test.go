package queueset_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// Requests that wake each other must not delay a goroutine that became ready
// before them. On a real server these goroutines serve connections whose requests
// have not reached the level.
func TestRequestsThatWakeEachOtherLetOthersRunInBetween(t *testing.T) {
	const chain = 1000
	f := newFixture(t, queues(1, 1, chain), 1)
	held := f.arrive("a", wide(1), queueset.Seated)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var executed atomic.Int64
	var requests sync.WaitGroup
	for range chain {
		r := f.arrive("a", wide(1), queueset.Waiting)
		requests.Go(func() {
			f.set.Wait(context.Background(), r, nil)
			executed.Add(1)
			f.set.Finish(r)
		})
	}
	runtime.Gosched() // all of them wait after this
	before := make(chan int64, 1)
	go func() { before <- executed.Load() }()
	f.set.Finish(held)
	assert.Less(t, <-before, int64(chain/10), "requests executed before a goroutine that was ready first")
	requests.Wait()
	assert.EqualValues(t, chain, executed.Load())
}
