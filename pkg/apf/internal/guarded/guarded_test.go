package guarded_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/guarded"
)

func TestHoldersOfTheLockDoNotMeet(t *testing.T) {
	const goroutines, rounds = 8, 1000
	var counter guarded.Value[int]
	var running sync.WaitGroup
	for range goroutines {
		running.Go(func() {
			for range rounds {
				n := counter.Lock()
				*n++
				counter.Unlock(&n)
			}
		})
	}
	running.Wait()
	n := counter.Lock()
	defer counter.Unlock(&n)
	assert.Equal(t, goroutines*rounds, *n)
}

func TestTryLockGivesNoHandleWhileTheLockIsHeld(t *testing.T) {
	var value guarded.Value[int]
	handle := value.Lock()
	assert.Nil(t, value.TryLock())
	value.Unlock(&handle)
	handle = value.TryLock()
	assert.NotNil(t, handle)
	value.Unlock(&handle)
}
