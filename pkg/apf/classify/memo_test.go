package classify

import (
	"sync"
	"testing"
)

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
