package hostile

import (
	"context"
	"sync"
	"time"
)

// inParallel calls do for 0 to count-1 from that many workers, until ctx ends. It returns
// when the last call has returned.
func inParallel(ctx context.Context, workers, count int, do func(i int)) {
	next := make(chan int)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range count {
		select {
		case next <- i:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	group.Wait()
}

// pause returns after a time, or when ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
