package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPartIsChosenByItsName(t *testing.T) {
	for name, want := range map[string]struct {
		sections, parts int
		partial         bool
	}{"": {5, 0, false}, "server": {1, 4, false}, "memory": {1, 1, true}, "large": {1, 1, false}, "limiter": {1, 0, false}} {
		chosen, err := choose(name)
		require.NoError(t, err)
		require.Len(t, chosen, want.sections, name)
		assert.Len(t, chosen[0].parts, want.parts, name)
		assert.Equal(t, want.partial, chosen[0].partial, name)
	}
	_, err := choose("small")
	require.ErrorContains(t, err, `"small"; it must be one of engine, server, start, memory, load, certificates, large, inside, limiter`)
}
