package objects

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestANumberOfAnySizeKeepsItsDigits(t *testing.T) {
	const text = `[1e400,12345678901234567890,1.0]`
	require.Equal(t, text, string(Encode(Decode([]byte(text)))))
}

func TestTheSameSeedMakesTheSameObjects(t *testing.T) {
	made := func() string {
		g := New(7, 3, 0.3)
		return string(Encode([]any{Mutate(g, Tree(g.FlowSchema()), 0.1), Mutate(g, Tree(g.Level()), 0.1)}))
	}
	first, second := made(), made()
	require.Equal(t, first, second)
}
