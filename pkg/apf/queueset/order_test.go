package queueset

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

func TestTheHeapReturnsQueuesByTheirVirtualFinish(t *testing.T) {
	for name, base := range map[string]seats.Progress{
		"far from any edge":           1 << 40,
		"where the clock passes zero": ^seats.Progress(0) - 500,
		"where the sign changes":      1<<63 - 500,
	} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(3, 3))
			anyRank := func() rank { return rank{finish: base.Add(seats.Area(random.IntN(1000)))} }
			var h heap[*queue]
			var all []*queue
			for i := range 200 {
				q := &queue{index: i}
				all = append(all, q)
				h.push(node[*queue]{rank: anyRank(), at: &q.heapAt, item: q})
			}
			for range 100 {
				h.rerank(all[random.IntN(len(all))].heapAt, anyRank())
			}
			gone := all[17]
			h.remove(gone.heapAt)
			assert.Equal(t, -1, gone.heapAt)
			var got []seats.Area
			for len(h.nodes) > 0 {
				got = append(got, h.nodes[0].finish.Sub(base))
				h.remove(0)
			}
			assert.Len(t, got, 199)
			assert.True(t, slices.IsSorted(got))
		})
	}
}
