package filters

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// A stack that grows is copied, so that the address of a variable on it changes.
func TestAGoroutineGrowsItsStackOnce(t *testing.T) {
	for name, test := range map[string]struct {
		grow func()
		size int
	}{"a request": {GrowStack, requestSize}, "the way to the timeout": {growToHandOver, handOverSize}} {
		t.Run(name, func(t *testing.T) {
			moved := make(chan bool)
			go func() {
				var here byte
				at := func() uintptr { return uintptr(unsafe.Pointer(&here)) }
				test.grow()
				before := at()
				descend(test.size - 2<<10)
				moved <- before != at()
				runtime.KeepAlive(&here)
			}()
			require.False(t, <-moved)
		})
	}
}

// descend uses about that many bytes of the stack.
//
//go:noinline
func descend(bytes int) byte {
	var frame [1 << 10]byte
	keep(&frame[0])
	if bytes > len(frame) {
		return frame[1] + descend(bytes-len(frame)-128)
	}
	return frame[0]
}
