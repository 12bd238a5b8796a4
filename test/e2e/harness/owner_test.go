package harness

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOwnerEndsWhatItOwnsHoweverItsBodyEnds(t *testing.T) {
	var ended []string
	err := Own(t.Context(), func(o *Owner) {
		o.Cleanup(func() { ended = append(ended, "first") })
		o.Within(func(o *Owner) {
			o.Cleanup(func() { ended = append(ended, "inner") })
			o.Fatalf("broken %d", 1)
		})
		o.Cleanup(func() { ended = append(ended, "never") })
	})
	require.EqualError(t, err, "broken 1")
	assert.Equal(t, []string{"inner", "first"}, ended)

	require.PanicsWithValue(t, "a fault of the program", func() {
		_ = Own(t.Context(), func(*Owner) { panic("a fault of the program") })
	})
	require.EqualError(t, Own(t.Context(), func(o *Owner) { o.Check(context.Canceled) }), "context canceled")
}
