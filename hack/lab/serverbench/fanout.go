package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// fanWatchers is the number of watches on one server.
	fanWatchers = 5000
	// fanWriters send the writes. Each has an object of its own.
	fanWriters = 16
	// fanGrace is how long watchers have to read what was written, after the last write.
	fanGrace = time.Minute
)

// fanRates are the numbers of writes a second: few enough for a small machine, and the goal.
func fanRates() []int { return []int{5, 100} }

// Units of the fan-out.
const (
	eventRate    = "events/s"
	writeRate    = "writes/s"
	endedWatches = "ended-watches"
	missedEvents = "missed-events"
)

// measureFanout measures what many watchers get of many writes.
func measureFanout(o *harness.Owner, s settings) []table {
	var tables []table
	o.Within(func(o *harness.Owner) {
		cachePrograms(o)
		etcds := [2]*harness.Etcd{startEtcd(o), startEtcd(o)}
		fill(o, etcds, fanWriters)
		for _, rate := range fanRates() {
			for round := range s.fanRounds {
				for _, by := range turns(round) {
					o.Logf("fan-out: %d writes a second, round %d of %d, %v", rate, round+1, s.fanRounds, by.of("")[1:])
					o.Within(func(o *harness.Owner) {
						s.record(o, fanBenchmark(rate), by, 1, fanOut(o, startAt(o, by, etcds[by]), rate, s.fanTime))
					})
				}
			}
			tables = append(tables, fanTable(rate, s))
		}
	})
	return tables
}

func fanBenchmark(rate int) string {
	return fmt.Sprintf("Fanout/watchers=%d/writes=%d", fanWatchers, rate)
}

// fanTable is the table of one rate.
func fanTable(rate int, s settings) table {
	benchmark := fanBenchmark(rate)
	alone := func(what, unit string, by server) measurement.Comparison {
		return measurement.Comparison{What: what, Ours: figure(by.of(benchmark), unit)}
	}
	bounded := alone("the same, beside the goal", perWatch, ours)
	bounded.Wanted = 100 << 10
	return table{
		title: fmt.Sprintf("%d watches, %d writes a second", fanWatchers, rate),
		note: fmt.Sprintf("%v of patches of an annotation of %d FlowSchemas, %d a second if the server takes them, so %d events a second; %d watches of all FlowSchemas, in JSON, on %d connections; rounds: %d. "+
			"The lag of an event is from the sending of its write until its watcher has read it. A watch that the server ended is not opened again: it misses what follows. After the last write, watchers have %v to read what is left.",
			s.fanTime, fanWriters, rate, rate*fanWatchers, fanWatchers, audienceClients, s.fanRounds, fanGrace),
		rows: []measurement.Comparison{
			compare("writes taken", benchmark, writeRate, 0), compare("events read", benchmark, eventRate, 0),
			compare("lag, p50", benchmark, p50, 0), compare("lag, p99", benchmark, p99, 0), compare("lag, longest", benchmark, slowest, 0),
			alone("watches that the server ended", endedWatches, ours), alone("the same of kube-apiserver", endedWatches, theirs),
			alone("events that a watch missed for good", missedEvents, ours), alone("the same of kube-apiserver", missedEvents, theirs),
			compare("memory of a watch under load", benchmark, perWatch, 1), bounded,
		},
	}
}

// fanOut measures one server.
func fanOut(o *harness.Owner, contender contender, rate int, length time.Duration) measurement.Values {
	clients := contender.clients(o, audienceClients)
	pause(o, 2*time.Second)
	before, err := residentMemory(contender.process.PID())
	o.Check(err)
	o.Check(measurement.ResetPeak(contender.process.PID()))
	crowd := newCrowd(o, clients)

	begin := time.Now()
	written, err := writeSteadily(o.Context(), clients, rate, length)
	o.Check(err)
	took := time.Since(begin).Seconds()
	crowd.settle(o.Context(), written)
	peak, err := peakOf(contender.process.PID())
	o.Check(err)
	lasted := time.Duration(crowd.last.Load()-begin.UnixNano()) * time.Nanosecond
	return measurement.Values{
		writeRate: float64(written) / took, eventRate: float64(crowd.events.Load()) / lasted.Seconds(),
		p50: crowd.lags.quantile(0.5), p99: crowd.lags.quantile(0.99), slowest: crowd.lags.quantile(1),
		endedWatches: float64(crowd.ended.Load()), missedEvents: float64(crowd.missing(written)),
		perWatch: (peak - before) / fanWatchers,
	}
}

// writeSteadily sends rate writes a second for a time, and returns how many were sent.
// A slow server gets fewer.
func writeSteadily(ctx context.Context, clients []*client, rate int, length time.Duration) (int64, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	due := make(chan struct{})
	var written atomic.Int64
	var group sync.WaitGroup
	for writer := range fanWriters {
		path := collection + "/" + filledName(writer)
		group.Go(func() {
			for range due {
				body := []byte(`{"metadata":{"annotations":{"` + sentMark + `":"` + strconv.FormatInt(time.Now().UnixNano(), 10) + `"}}}`)
				if err := clients[writer].drain(ctx, request{method: http.MethodPatch, path: path, body: body, contentType: "application/merge-patch+json"}); err != nil {
					cancel(err)
					return
				}
				written.Add(1)
			}
		})
	}
	ticker := time.NewTicker(time.Second / time.Duration(rate))
	defer ticker.Stop()
	for end := time.Now().Add(length); time.Now().Before(end) && ctx.Err() == nil; {
		<-ticker.C
		select {
		case due <- struct{}{}:
		case <-ctx.Done():
		}
	}
	close(due)
	group.Wait()
	return written.Load(), context.Cause(ctx)
}
