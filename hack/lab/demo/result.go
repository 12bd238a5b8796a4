package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

// result is the outcome of one run for the elephant and the mice.
type result struct {
	elephant, mice *traffic.Tally
	seen           occupancy
	change         scrape.Scrape
}

// print prints the run as two tables: the users' view and the server's metrics.
func (r result) print(w io.Writer) {
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "   client\tserved\trejected (429)\tp50\tp99\t")
	for _, row := range []struct {
		who   string
		tally *traffic.Tally
	}{{"elephant", r.elephant}, {fmt.Sprintf("%d mice", mice), r.mice}} {
		fmt.Fprintf(table, "   %s\t%d\t%d\t%s\t%s\t\n", row.who, row.tally.Served(), row.tally.Rejected(),
			short(row.tally.Quantile(0.50)), short(row.tally.Quantile(0.99)))
	}
	_ = table.Flush() // fails only if the output is closed

	fmt.Fprintln(w)
	fmt.Fprintln(table, "   metrics of flow schema\tdispatched\trejected\tmean wait\tseats in use\t")
	for _, schema := range []string{"batch-jobs", "global-default"} {
		label := `flow_schema="` + schema + `"`
		dispatched := r.change.Sum("apiserver_flowcontrol_dispatched_requests_total", label)
		// Requests that waited at the end of the run were cancelled by their clients.
		rejected := r.change.Sum("apiserver_flowcontrol_rejected_requests_total", label) -
			r.change.Sum("apiserver_flowcontrol_rejected_requests_total", label, `reason="cancelled"`)
		if dispatched+rejected == 0 {
			continue
		}
		fmt.Fprintf(table, "   %s\t%.0f\t%.0f\t%s\t%.1f\t\n", schema, dispatched, rejected, short(r.meanWait(label)), r.seen[schema])
	}
	_ = table.Flush()
}

// meanWait is the mean wait of the executed requests.
func (r result) meanWait(label string) time.Duration {
	return r.change.Mean("apiserver_flowcontrol_request_wait_duration_seconds", label, `execute="true"`)
}

// conclude prints a summary of the tables.
func conclude(w io.Writer, with, without result) {
	problem := ""
	for _, tally := range []*traffic.Tally{with.elephant, with.mice, without.elephant, without.mice} {
		if failed, err := tally.Failed(); failed > 0 {
			problem = fmt.Sprintf("\n%d requests failed; the last error: %v\n", failed, err)
		}
	}
	fmt.Fprintf(w, `
A mouse waits %s (p99) for a response with the schema and %s without it. Time
beyond the mean wait goes to the processors, which server and clients share. The metrics
are apiserver_flowcontrol_dispatched_requests_total, ..._rejected_requests_total,
..._request_wait_duration_seconds and ..._current_executing_seats.
%s`, short(with.mice.Quantile(0.99)), short(without.mice.Quantile(0.99)), problem)
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
