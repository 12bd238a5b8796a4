package main

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

var updateStorms = flag.Bool("update-storms", false, "run all storms, and write their section of docs/evidence/benchmarks.md")

// stormFigures are what a storm did on one engine.
type stormFigures struct {
	succeed               float64 // part of the steady requests
	before, during, after time.Duration
	rest                  time.Duration // from the end of the storm until the steady flows are at rest
	lasts                 time.Duration
	goodput               float64 // part of the seats' time
	rejected, ofSteady    int
	executed, useless     int
}

func (s storm) measure(t *testing.T, engine traffic.Engine) stormFigures {
	t.Helper()
	all, end, work, useful := s.blow(t, engine)
	steady := all.Of("steady")
	asked := steady.Between(before, end)
	p99 := func(from, to time.Duration) time.Duration { return steady.Between(from, to).Within(0.99) }
	f := stormFigures{
		succeed: float64(asked.Served()) / float64(len(asked)), goodput: float64(useful) / float64(traffic.Seats*(end-before)),
		before: p99(0, before), during: p99(before, end), after: p99(end, end+window),
		lasts: end - before, rejected: all.Rejected(), ofSteady: steady.Rejected(),
	}
	f.executed, f.useless = work.Executed()
	f.rest = steady.UntilRest(end, end+watched, window, 11*f.before/10)
	return f
}

// within writes a p99.
func within(d time.Duration) string {
	if d == measurement.Never {
		return "failed"
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

func (s storm) row(library, ours stormFigures) string {
	percent := func(f float64) string { return fmt.Sprintf("%.1f", 100*f) }
	rest := func(f stormFigures) string {
		if f.rest == measurement.Never {
			return fmt.Sprintf("> %v", watched-window)
		}
		return fmt.Sprintf("%.1f s", f.rest.Seconds())
	}
	useless := func(f stormFigures) string {
		return fmt.Sprintf("%d (%.0f %%)", f.useless, 100*float64(f.useless)/float64(f.executed))
	}
	cells := []string{
		s.name, percent(library.succeed) + " / " + percent(ours.succeed) + " %",
		within(library.before) + ", " + within(library.during) + ", " + within(library.after) + " / " +
			within(ours.before) + ", " + within(ours.during) + ", " + within(ours.after),
		rest(library) + " / " + rest(ours),
		fmt.Sprintf("%.0f / %.0f s", library.lasts.Seconds(), ours.lasts.Seconds()),
		fmt.Sprintf("%.2f / %.2f", library.goodput, ours.goodput),
		fmt.Sprintf("%d / %d", library.rejected, ours.rejected), fmt.Sprintf("%d / %d", library.ofSteady, ours.ofSteady),
		useless(library) + " / " + useless(ours),
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

const stormsHead = `## Storms of greedy flows

Written by ` + "`make storms`" + ` in virtual time, the library's engine and this one each through its HTTP
filter. A level has 20 seats, 64 queues of 50 requests and hands of 6. 500 steady flows ask together for
65 % of what it can do, each for less than its max-min share, and do not try again. After 10 s greedy flows
send their requests in a second, and try each until it succeeds: after Retry-After, or with backoff. A
request takes 20 ms unless the row says otherwise, plus or minus up to a half. Clients leave after 5 s, or
10 s where a request takes 200 ms. Cells are library / this engine. A p99 has failed where more than 1 %
of the requests fail. Goodput is the part of the seats' time that went into requests whose clients
were still there, while the storm lasts. Steady flows are at rest when their p99 over 5 s is within 10 %
of before.

| storm | steady requests that succeed | their p99 before, during, after | at rest after | storm lasts | goodput | 429 | 429 of steady | executed for clients that had left |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
`

// TestStorms writes the table, or runs one row in the short lane.
func TestStorms(t *testing.T) {
	rows, text := storms[1:2], stormsHead
	if *updateStorms {
		rows = storms
	}
	for _, s := range rows {
		results := make([]stormFigures, len(engineOf))
		t.Run(s.name, func(t *testing.T) {
			for i, engine := range engineOf {
				t.Run(string(engine), func(t *testing.T) {
					t.Parallel()
					results[i] = s.measure(t, engine)
				})
			}
		})
		ours := results[1]
		assert.GreaterOrEqual(t, ours.succeed, s.succeed, "%s: steady flows ask for less than their share", s.name)
		assert.GreaterOrEqual(t, ours.goodput, s.goodput, s.name)
		assert.LessOrEqual(t, ours.rest, 2*time.Second)
		assert.LessOrEqual(t, ours.useless, ours.executed/50)
		row := s.row(results[0], results[1])
		t.Log(row)
		text += row
		for _, f := range results {
			// The slowest requests take one and a half of the mean, and hardly wait.
			assert.InDelta(t, 1.5, f.before.Seconds()/s.takes.Seconds(), 0.2)
		}
	}
	if *updateStorms {
		require.NoError(t, measurement.Publish("make storms", "storms", filepath.Join("docs", "evidence", "benchmarks.md"), text))
	}
}
