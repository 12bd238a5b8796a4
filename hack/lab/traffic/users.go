// Package traffic sends requests of many users at once and records the results
// of each, for demonstrations and benchmarks of flow control.
//
// An elephant is a user with many busy connections. Each sends one request after
// the other. A mouse is a user who sends requests at a slow, fixed pace, without
// waiting for answers.
package traffic

import (
	"context"
	"sync"
	"time"
)

// Elephant keeps the given number of connections busy with requests for path
// until ctx ends. After a rejection each waits as long as the server asks, as client-go does.
// It returns when the last of them has ended.
func Elephant(ctx context.Context, client *Client, connections int, path string, tally *Tally) {
	var group sync.WaitGroup
	for range connections {
		group.Go(func() {
			for ctx.Err() == nil {
				wait(ctx, request(ctx, client, path, tally))
			}
		})
	}
	group.Wait()
}

// wait returns after the pause, or when ctx ends.
func wait(ctx context.Context, pause time.Duration) {
	if pause <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, pause)
	defer cancel()
	<-ctx.Done()
}

// Mouse requests path at this pace until ctx ends, the first time after offset.
// It returns when it has all answers. A slow answer does not delay the next
// request.
func Mouse(ctx context.Context, client *Client, pace, offset time.Duration, path string, tally *Tally) {
	var group sync.WaitGroup
	defer group.Wait()
	next := time.NewTimer(offset)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
			next.Reset(pace)
			group.Go(func() { request(ctx, client, path, tally) })
		}
	}
}

// request sends one request and counts it, unless the end of the run cancelled
// it. It returns the wait that the server asks for.
func request(ctx context.Context, client *Client, path string, tally *Tally) time.Duration {
	started := time.Now()
	answer, err := client.Get(ctx, path)
	if err != nil && ctx.Err() != nil {
		return 0
	}
	tally.note(time.Since(started), answer.Status, err)
	return answer.RetryAfter
}
