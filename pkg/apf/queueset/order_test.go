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
			anyRank := func() rank[seats.Progress] {
				return rank[seats.Progress]{at: base.Add(seats.Area(random.IntN(1000)))}
			}
			var h queueHeap
			for _, i := range random.Perm(200) {
				h.push(node[seats.Progress, *queue]{rank: anyRank(), number: i, item: &queue{number: i}})
			}
			for range 100 {
				h.rerank(h.find(random.IntN(200)), anyRank())
			}
			assert.Equal(t, 17, h.nodes[h.find(17)].item.number)
			h.remove(h.find(17))
			assert.Equal(t, -1, h.find(17))
			assert.Equal(t, -1, h.find(200))
			var got []seats.Area
			for len(h.nodes) > 0 {
				got = append(got, h.nodes[0].at.Sub(base))
				h.remove(0)
			}
			assert.Len(t, got, 199)
			assert.True(t, slices.IsSorted(got))
		})
	}
}
