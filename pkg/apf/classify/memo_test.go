package classify

import (
	"sync"
	"testing"
)

func TestMemoNeverMixesOutcomesUp(t *testing.T) {
	var m memo
	// All keys are of one slot. The expected rank is the subject.
	keyOf := func(subject uint32) memoKey { return newMemoKey(&values{subject, 1, 2, 3, 4}) }
	var subjects []uint32
	for subject := uint32(1); len(subjects) < 2; subject++ {
		if m.slot(keyOf(subject)) == m.slot(keyOf(1)) {
			subjects = append(subjects, subject)
		}
	}
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 1_000_000 {
				want := subjects[(i+worker)%len(subjects)]
				if rank, ok := m.get(keyOf(want)); ok && rank != want {
					t.Errorf("%d is remembered as %d", want, rank)
					return
				}
				m.put(keyOf(want), want)
			}
		})
	}
	wg.Wait()
}
