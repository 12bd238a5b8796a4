package budget

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestABudgetEndsWithItsSteps(t *testing.T) {
	b := New(10, nil)
	require.True(t, b.Spend(10))
	require.False(t, b.IsSpent())
	require.False(t, b.Spend(1))
	require.True(t, b.IsSpent())
	require.False(t, b.Spend(0), "it stays spent")
}

func TestABudgetExpires(t *testing.T) {
	asked, late := 0, false
	b := New(1_000_000, func() bool { asked++; return late })
	require.True(t, b.Spend(interval-1))
	require.Zero(t, asked, "little work is finished whatever the time is")
	require.True(t, b.Spend(1))
	require.Equal(t, 1, asked)
	late = true
	require.True(t, b.Spend(interval-1))
	require.False(t, b.Spend(1))
	require.False(t, b.Spend(interval))
	require.Equal(t, 2, asked, "it is not asked again")
}
