// Package traffic makes requests of many users at once and tells what each
// experienced: for demonstrations and benchmarks of flow control.
//
// An elephant is a user who keeps many connections busy, each with one request
// after the other. A mouse is a user who asks now and then, at a fixed pace that
// does not wait for answers.
package traffic

import (
	"context"
	"sync"
	"time"
)

// Manners is what a client does that was refused.
type Manners bool

const (
	// Polite waits as long as it was asked to, as client-go does.
	Polite Manners = true
	// Rude asks again at once.
	Rude Manners = false
)

// Elephant keeps so many connections busy with requests for path until ctx ends,
// and returns when the last of them has.
func Elephant(ctx context.Context, client *Client, connections int, manners Manners, path string, tally *Tally) {
	var group sync.WaitGroup
	for range connections {
		group.Go(func() {
			for ctx.Err() == nil {
				if pause := request(ctx, client, path, tally); manners == Polite {
					wait(ctx, pause)
				}
			}
		})
	}
	group.Wait()
}

// wait returns after a pause, or when ctx ends.
func wait(ctx context.Context, pause time.Duration) {
	if pause <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, pause)
	defer cancel()
	<-ctx.Done()
}

// Mouse asks for path at this pace until ctx ends, the first time after offset,
// and returns when it has all answers. A slow answer does not put the next
// request off.
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

// request makes one request and counts it, unless the end of the run cut it off.
// It returns how long the server asked to wait before the next.
func request(ctx context.Context, client *Client, path string, tally *Tally) time.Duration {
	started := time.Now()
	answer, err := client.Get(ctx, path)
	if err != nil && ctx.Err() != nil {
		return 0
	}
	tally.note(time.Since(started), answer.Status, err)
	return answer.RetryAfter
}
