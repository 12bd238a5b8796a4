package heavyhitters

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

func TestPositionsAreThoseOfAMap(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 2))
	var p Positions
	want := map[uint64]int{}
	var present []uint64
	for range 20000 {
		// Few different remainders, so that searches pass over other hashes.
		hash := random.Uint64N(1000)*tableSize + tableSize - 20 + random.Uint64N(40)
		position, found := p.Find(hash)
		known, ok := want[hash]
		require.Equal(t, ok, found)
		if found {
			require.Equal(t, known, position)
			continue
		}
		at := len(present)
		if at == Counters {
			at = random.IntN(Counters)
			p.Remove(present[at])
			delete(want, present[at])
			present[at] = hash
		} else {
			present = append(present, hash)
		}
		p.Insert(hash, at)
		want[hash] = at
	}
	for hash, position := range want {
		got, found := p.Find(hash)
		require.True(t, found)
		require.Equal(t, position, got)
	}
}
