package storm

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/document"
)

var update = flag.Bool("update-storms", false, "run all storms, and write their section of docs/evidence/benchmarks.md")

// figures are what a storm did on one engine.
type figures struct {
	succeed               float64 // part of the steady requests
	before, during, after time.Duration
	rest                  time.Duration // from the end of the storm until the steady flows are at rest
	lasts                 time.Duration
	goodput               float64 // part of the seats' time
	rejected, ofSteady    int
	executed, useless     int
}

const never = 1000 * time.Hour

func (s storm) measure(t *testing.T, engine string) figures {
	t.Helper()
	all, end := s.blow(t, engine)
	f := figures{lasts: end - before, rest: never}
	asked, served, work := 0, 0, time.Duration(0)
	for _, r := range all {
		if stop := r.at + r.took; stop >= before && stop <= end && r.succeeded {
			work += r.takes
		}
		if r.rejected {
			f.rejected++
		}
		if r.succeeded || r.useless {
			f.executed++
		}
		if r.useless {
			f.useless++
		}
		if r.steady && r.at >= before && r.at < end {
			asked++
			if r.succeeded {
				served++
			}
		}
		if r.steady && r.rejected {
			f.ofSteady++
		}
	}
	f.succeed, f.goodput = float64(served)/float64(asked), float64(work)/float64(seats*f.lasts)
	f.before, f.during, f.after = p99(all, 0, before), p99(all, before, end), p99(all, end, end+window)
	for waited := time.Duration(0); waited <= after-window; waited += 100 * time.Millisecond {
		if float64(p99(all, end+waited, end+waited+window)) <= 1.1*float64(f.before) {
			f.rest = waited
			break
		}
	}
	return f
}

// p99 is the time within which 99 % of the steady requests of an interval succeed.
func p99(all []sent, from, to time.Duration) time.Duration {
	var took []time.Duration
	for _, r := range all {
		switch {
		case !r.steady || r.at < from || r.at >= to:
		case r.succeeded:
			took = append(took, r.took)
		default:
			took = append(took, never)
		}
	}
	slices.Sort(took)
	return took[len(took)*99/100]
}

// within writes a p99.
func within(d time.Duration) string {
	if d == never {
		return "failed"
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

func (s storm) row(library, ours figures) string {
	percent := func(f float64) string { return fmt.Sprintf("%.1f", 100*f) }
	rest := func(f figures) string {
		if f.rest == never {
			return fmt.Sprintf("> %v", after-window)
		}
		return fmt.Sprintf("%.1f s", f.rest.Seconds())
	}
	useless := func(f figures) string {
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

const head = `## Storms of greedy flows

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
	rows, text := storms[1:2], head
	if *update {
		rows = storms
	}
	for _, s := range rows {
		results := make([]figures, len(engines))
		t.Run(s.name, func(t *testing.T) {
			for i, engine := range engines {
				t.Run(engine, func(t *testing.T) {
					t.Parallel()
					results[i] = s.measure(t, engine)
				})
			}
		})
		ours := results[1]
		assert.InDelta(t, 1, ours.succeed, 0.01, "steady flows ask for less than their share")
		assert.Greater(t, ours.goodput, 0.95)
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
	if *update {
		require.NoError(t, document.Publish("make storms", "storms", filepath.Join("docs", "evidence", "benchmarks.md"), text))
	}
}
