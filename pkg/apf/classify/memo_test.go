package classify

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMemoRemembers(t *testing.T) {
	var m memo
	k := newMemoKey(1, values{2, 3, 4, 5})
	_, ok := m.get(k)
	assert.False(t, ok)
	m.put(k, 7)
	rank, ok := m.get(k)
	assert.True(t, ok)
	assert.Equal(t, uint32(7), rank)
	for _, other := range []memoKey{
		newMemoKey(2, values{2, 3, 4, 5}), newMemoKey(1, values{0, 3, 4, 5}), newMemoKey(1, values{2, 0, 4, 5}),
		newMemoKey(1, values{2, 3, 0, 5}), newMemoKey(1, values{2, 3, 4, 0}), {},
	} {
		_, ok := m.get(other)
		assert.False(t, ok, "%v", other)
	}
}

func TestMemoNeverMixesOutcomesUp(t *testing.T) {
	var m memo
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range uint32(40000) {
				// There are far more keys than slots. The expected rank follows from the
				// key.
				k := newMemoKey(i%5000, values{i % 3, i % 5, i % 7, 1})
				want := i%5000 ^ i%3<<20 ^ i%5<<22 ^ i%7<<25
				if rank, ok := m.get(k); ok && rank != want {
					t.Errorf("%v is remembered as %d, not as %d", k, rank, want)
					return
				}
				m.put(k, want)
			}
		})
	}
	wg.Wait()
}
