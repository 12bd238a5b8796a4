package main

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// sentMark is the annotation with the time of sending a write, in nanoseconds.
const sentMark = "bench-sent"

// crowd is a set of watchers that note when they read each event.
type crowd struct {
	lags   lagCounts
	events atomic.Int64 // read by all watchers
	ended  atomic.Int64 // watches that the server ended
	last   atomic.Int64 // when the last event was read, Unix nanoseconds
	read   []atomic.Int64
}

// newCrowd opens watches that begin with the next write. They end with the owner.
func newCrowd(o *harness.Owner, clients []*client) *crowd {
	c := &crowd{read: make([]atomic.Int64, fanWatchers)}
	now, err := clients[0].page(o.Context(), forms()[0], "limit=1")
	o.Check(err)
	ctx, cancel := context.WithCancel(o.Context())
	var running sync.WaitGroup
	o.Cleanup(func() {
		cancel()
		running.Wait()
	})
	path := collection + "?watch=true&timeoutSeconds=3600&resourceVersion=" + now.ResourceVersion
	for i := range fanWatchers {
		response, err := clients[i%len(clients)].send(ctx, request{method: http.MethodGet, path: path, plain: true})
		o.Check(err)
		running.Go(func() {
			defer func() { _ = response.Body.Close() }()
			lines := bufio.NewScanner(response.Body)
			lines.Buffer(make([]byte, 4<<10), 1<<20)
			for lines.Scan() {
				c.note(i, lines.Bytes())
			}
			if ctx.Err() == nil {
				c.ended.Add(1)
			}
		})
	}
	return c
}

// note counts an event. The time of a write is there twice if managed fields name the
// annotation; its value follows a colon and a quote.
func (c *crowd) note(watcher int, event []byte) {
	_, rest, found := bytes.Cut(event, []byte(`"`+sentMark+`":"`))
	if !found {
		return
	}
	text, _, _ := bytes.Cut(rest, []byte(`"`))
	sent, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return
	}
	now := time.Now().UnixNano()
	c.lags.add(time.Duration(now - sent))
	c.last.Store(now)
	c.read[watcher].Add(1)
	c.events.Add(1)
}

// settle waits until every watch that is open has read all events, for fanGrace at most.
func (c *crowd) settle(ctx context.Context, written int64) {
	ctx, cancel := context.WithTimeout(ctx, fanGrace)
	defer cancel()
	eventually.Within(ctx, func(a *eventually.Attempt) {
		require.LessOrEqual(a, c.behind(written), c.ended.Load())
	})
}

// behind returns the number of watchers that have not read all events.
func (c *crowd) behind(written int64) (count int64) {
	for i := range c.read {
		if c.read[i].Load() < written {
			count++
		}
	}
	return count
}

// missing returns the number of events that were not read.
func (c *crowd) missing(written int64) (count int64) {
	for i := range c.read {
		count += max(written-c.read[i].Load(), 0)
	}
	return count
}

// lagCounts counts lags by the millisecond. The last count is of longer ones.
type lagCounts [120_000]atomic.Int64

func (l *lagCounts) add(lag time.Duration) {
	l[min(max(lag.Milliseconds(), 0), int64(len(l)-1))].Add(1)
}

// quantile returns the lag in seconds, to the millisecond, that the share q of all does not
// exceed.
func (l *lagCounts) quantile(q float64) float64 {
	counts := make([]int64, 0, len(l))
	sum := int64(0)
	for i := range l {
		sum += l[i].Load()
		counts = append(counts, sum)
	}
	index, _ := slices.BinarySearch(counts, max(int64(q*float64(sum)), 1))
	return float64(min(index+1, len(l))) / 1000
}
