package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

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
