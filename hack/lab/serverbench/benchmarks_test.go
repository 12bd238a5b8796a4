package main

import (
	"bytes"
	"runtime/pprof"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLiveMemoryIsThatOfHeapAndStacks(t *testing.T) {
	live, err := parseLiveMemory([]byte("heap profile: 1\n\n# runtime.MemStats\n# Alloc = 1\n# HeapAlloc = 3000\n# HeapSys = 4\n# Stack = 500 / 600\n"))
	require.NoError(t, err)
	assert.InDelta(t, 3500, live, 1e-9)
	_, err = parseLiveMemory([]byte("404 page not found"))
	require.ErrorContains(t, err, "the heap profile has no HeapAlloc")

	var profile bytes.Buffer
	require.NoError(t, pprof.Lookup("heap").WriteTo(&profile, 1))
	live, err = parseLiveMemory(profile.Bytes())
	require.NoError(t, err)
	assert.Greater(t, live, 1e5)
}

func TestEventCountsOnceForEachWatcher(t *testing.T) {
	all := make(chan struct{})
	a := &audience{mark: "mark-1", missing: 2, all: all}
	first := a.read([]byte("{mark-0}"), "")
	assert.Empty(t, first, "another event")
	first = a.read([]byte("{mark-1}"), first)
	first = a.read([]byte("{mark-1, status}"), first)
	assert.Equal(t, 1, a.missing, "the first watcher's second event")
	select {
	case <-all:
		t.Fatal("the second watcher has read nothing")
	default:
	}
	second := a.read([]byte("{mark-1}"), "")
	<-all
	assert.Equal(t, first, second)
}
