package chaos

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func planned(seed uint64) []Step { return Plan(rand.New(rand.NewPCG(seed, 0)), Kinds(), 200, 3) }

func TestAPlanIsThatOfItsSeedAndHasEveryKindOften(t *testing.T) {
	steps := planned(1)
	require.Len(t, steps, 200)
	require.Equal(t, steps, planned(1))
	require.NotEqual(t, steps, planned(2))
	counts := map[Kind]int{}
	overlap, ahead, behind := false, false, false
	for _, step := range steps {
		counts[step.Kind]++
		overlap = overlap || step.Length > step.Wait
		ahead, behind = ahead || step.Ahead > time.Hour, behind || step.Ahead < -time.Hour
		require.Equal(t, step.Kind == SetClock, step.Ahead != 0)
		require.Less(t, step.Target, 3)
		require.Less(t, step.Length, 20*time.Second)
		require.Positive(t, step.Wait)
	}
	require.True(t, overlap)
	require.True(t, ahead && behind, "clocks are ahead and behind")
	for _, kind := range Kinds() {
		require.GreaterOrEqual(t, counts[kind], 8, kind)
	}
	for _, kind := range Kinds() {
		require.Contains(t, kindsOf(steps[:len(Kinds())]), kind, "the first round has every kind")
	}
}

func kindsOf(steps []Step) (kinds []Kind) {
	for _, step := range steps {
		kinds = append(kinds, step.Kind)
	}
	return kinds
}
