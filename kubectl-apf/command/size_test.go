package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSizeOfRequests(t *testing.T) {
	t.Chdir(t.TempDir())
	writeTrace(t, "trace.jsonl")
	invoke(t, []invocation{
		// 50 requests within 50 ms, of 100 ms each, are on the level global-default, which has
		// 20 of 245 shares.
		{"a trace", []string{"--trace=trace.jsonl", "--goal=wait.max == 0s"}, statusOK, []string{"It has 600, as without flags (--total names another number). Is that enough? Yes.", "By simulation of a trace, trace.jsonl:", "global-default", "None: so few requests, or seats, say nothing about a busy time."}},
		{"seats that are not enough", []string{"--trace=trace.jsonl", "--goal=wait.max == 0s", "--total=40"}, statusFindings, []string{"It has 40. Is that enough? No."}},
		{"the engine of this server", []string{"--trace=trace.jsonl", "--engine=apf"}, statusOK, []string{"global-default"}},
	}, "size")
}

// served are the metrics of an API server that has dispatched this number of requests, of 100 ms
// and a seat each.
func served(started float64, requests int) string {
	const labels = `flow_schema="service-accounts",priority_level="workload-low"`
	var out strings.Builder
	fmt.Fprintf(&out, "process_start_time_seconds %g\n", started)
	fmt.Fprintf(&out, "apiserver_flowcontrol_nominal_limit_seats{priority_level=\"workload-low\"} 245\n")
	fmt.Fprintf(&out, "apiserver_flowcontrol_dispatched_requests_total{%s} %d\n", labels, requests)
	for name, mean := range map[string]float64{"request_execution_seconds": 0.1, "work_estimated_seats": 1} {
		fmt.Fprintf(&out, "apiserver_flowcontrol_%s_bucket{%s,le=\"%g\"} %d\n", name, labels, mean, requests)
		fmt.Fprintf(&out, "apiserver_flowcontrol_%s_bucket{%s,le=\"+Inf\"} %d\n", name, labels, requests)
		fmt.Fprintf(&out, "apiserver_flowcontrol_%s_sum{%s} %g\n", name, labels, mean*float64(requests))
		fmt.Fprintf(&out, "apiserver_flowcontrol_%s_count{%s} %d\n", name, labels, requests)
	}
	return out.String()
}

// save saves an answer of /metrics, so many minutes after the first one.
func save(t *testing.T, name string, minutes int, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	write(t, name, text)
	at := now.Add(time.Duration(minutes) * time.Minute)
	require.NoError(t, os.Chtimes(name, at, at))
}

func TestSizeOfTwoSavedScrapes(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, "before/metrics.txt", 0, served(1e9, 1000))
	save(t, "after/metrics.txt", 5, served(1e9, 1000+3000))
	const note = "Note: No request is known, only rates and histograms of "
	invoke(t, []invocation{
		{"the times of the files", nil, statusOK, []string{"requests with the rates between two scrapes, 5m0s apart", note, "workload-low "}},
		{"a time that is named", []string{"--interval=10m"}, statusOK, []string{"requests with the rates between two scrapes, 10m0s apart", note}},
		{"three servers, one of them known", []string{"--replicas=3"}, statusOK, []string{"(there are 3). It has 600.", note}},
	}, "size", "--dumps=after", "--before=before", "--release=1.33", "--engine=apf")
}

func TestSizeReadsAClusterTwice(t *testing.T) {
	server := newAPIServer(t)
	server.responses["/metrics"] = served(1e9, 1000)
	out, stop := server.start(t, "size", "--interval=5m")
	defer stop()
	server.mu.Lock()
	server.responses["/metrics"] = served(1e9, 4000)
	server.mu.Unlock()
	out.clock.Step(5 * time.Minute)
	assert.Zero(t, <-out.ended, out.String())
	assert.Contains(t, out.String(), "Read once. The second reading is in 5m0s.\n")
	assert.Contains(t, out.String(), "requests with the rates between two scrapes, 5m0s apart")
}

func TestWhatCannotBeSizedIsOneSentence(t *testing.T) {
	t.Chdir(t.TempDir())
	writeTrace(t, "trace.jsonl")
	save(t, "before/metrics.txt", 0, served(1e9, 1000))
	save(t, "same/metrics.txt", 5, served(1e9, 1000))
	save(t, "other/metrics.txt", 5, served(2e9, 9000))
	save(t, "empty/notes.txt", 5, "nothing")
	save(t, "untimed/metrics.txt", 0, served(1e9, 2000))
	invoke(t, []invocation{
		{"one scrape only", []string{"--dumps=same"}, statusFailed, []string{"one scrape has no rates: --before must name answers of the same API servers"}},
		{"an earlier scrape only", []string{"--before=before"}, statusFailed, []string{"--before needs --dumps, the later answers"}},
		{"scrapes of different servers", []string{"--dumps=other", "--before=before"}, statusFailed, []string{"the two scrapes have no API server in common"}},
		{"scrapes of one time", []string{"--dumps=untimed", "--before=before"}, statusFailed, []string{"are 0s apart: the later one must be later. --interval sets the time"}},
		{"nothing that was saved", []string{"--dumps=empty", "--before=before"}, statusFailed, []string{"empty has "}},
		{"nothing that was saved before", []string{"--dumps=same", "--before=empty"}, statusFailed, []string{"--before: empty has "}},
		{"nothing at all", []string{"--offline"}, statusFailed, []string{"--offline requires --trace"}},
		{"a trace and an interval", []string{"--trace=trace.jsonl", "--interval=5m"}, statusFailed, []string{"--before and --interval are about two scrapes"}},
		{"a negative interval", []string{"--interval=-1s"}, statusFailed, []string{"--interval is -1s: must be more than 0"}},
		{"a trace that is absent", []string{"--trace=gone.jsonl"}, statusFailed, []string{"gone.jsonl"}},
		{"a goal that does not parse", []string{"--trace=trace.jsonl", "--goal=rejected"}, statusFailed, []string{"--goal: the assertion \"rejected\" must be "}},
	}, "size")
}
