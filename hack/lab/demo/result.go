package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// result is the outcome of one run for the greedy users and the mice.
type result struct{ greedy, mice measurement.Samples }

// print prints the run as a table.
func (r result) print(w io.Writer) {
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "   clients\tserved\trejected (429)\tp50\tp99\t")
	for _, row := range []struct {
		who   string
		tally measurement.Samples
	}{{fmt.Sprintf("%d greedy", greedy), r.greedy}, {fmt.Sprintf("%d mice", mice), r.mice}} {
		fmt.Fprintf(table, "   %s\t%d\t%d\t%s\t%s\t\n", row.who, row.tally.Served(), row.tally.Rejected(),
			short(row.tally.Quantile(0.50)), short(row.tally.Quantile(0.99)))
	}
	_ = table.Flush() // fails only if the output is closed
	for _, tally := range []measurement.Samples{r.greedy, r.mice} {
		if failed, err := tally.Failed(); failed > 0 {
			fmt.Fprintf(w, "\n%d requests failed; the last error: %v\n", failed, err)
		}
	}
}

// short rounds a time to three or four digits.
func short(d time.Duration) string {
	steps := []time.Duration{time.Second, time.Millisecond, time.Microsecond}
	i := slices.IndexFunc(steps, func(step time.Duration) bool { return d >= step })
	if i < 0 {
		return "0"
	}
	return d.Round(steps[i] / 10).String()
}
