package simulate

import (
	"context"
	"errors"
	"io"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// batchSize is the number of requests that are handed over at one time.
const batchSize = 512

// batch is a part of a trace, and what ended it; nil if more follows.
type batch struct {
	requests []trace.Request
	err      error
}

// feed reads a trace ahead on a goroutine of its own.
type feed struct {
	batches chan batch
	current batch
	next    int
	stop    context.CancelFunc
}

func newFeed(ctx context.Context, source Source) *feed {
	ctx, stop := context.WithCancel(ctx)
	f := &feed{batches: make(chan batch, 8), stop: stop}
	go func() {
		defer close(f.batches)
		for {
			b := batch{requests: make([]trace.Request, 0, batchSize)}
			for len(b.requests) < batchSize && b.err == nil {
				var r trace.Request
				if b.err = source.Read(&r); b.err == nil {
					b.requests = append(b.requests, r)
				}
			}
			select {
			case f.batches <- b:
			case <-ctx.Done():
				return
			}
			if b.err != nil {
				return
			}
		}
	}()
	return f
}

// read returns the next request, nil after the last one, or an error.
func (f *feed) read() (*trace.Request, error) {
	for f.next == len(f.current.requests) {
		switch err := f.current.err; {
		case errors.Is(err, io.EOF):
			return nil, nil
		case err != nil:
			return nil, err
		}
		b, ok := <-f.batches
		if !ok {
			return nil, nil // the context ended
		}
		f.current, f.next = b, 0
	}
	f.next++
	return &f.current.requests[f.next-1], nil
}

// close ends the goroutine.
func (f *feed) close() {
	f.stop()
	for range f.batches {
	}
}
