package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Report returns the figures of a run as Markdown.
func (r *Run) Report() string {
	var text strings.Builder
	fmt.Fprintf(&text, "A run of %v with seed %d on the loopback of one machine:\n\n", r.Length.Round(time.Second), r.Seed)
	r.reportFaults(&text)
	fmt.Fprint(&text, "\n| | |\n|---|---|\n")
	row := func(name string, count int) { fmt.Fprintf(&text, "| %s | %d |\n", name, count) }
	row("faults", len(r.Faults))
	row("operations acknowledged", r.Acknowledged)
	row("writes among them, each compared with etcd", len(r.Acks))
	row("operations judged by the model of linearizability, those without an answer included", len(r.Operations))
	row("objects whose operations took too long to judge", len(r.Undecided))
	row("requests of these clients", len(r.Requests))
	failures := r.failures()
	for _, kind := range slices.Sorted(maps.Keys(failures)) {
		row("those among them that failed: "+kind, failures[kind])
	}
	row("events seen by watchers", r.events())
	row("connections of watchers", r.connections())
	row("requests judged during rolling restarts", r.Rolled)
	row("most writes of one object's status in a minute", StatusWrites(r.Journal))
	return text.String()
}

// times returns when writes were acknowledged, sorted.
func (r *Run) times() (times []time.Duration) {
	for _, ack := range r.Acks {
		times = append(times, ack.At)
	}
	slices.Sort(times)
	return times
}

// failures counts the requests that failed by kind.
func (r *Run) failures() map[string]int {
	counts := map[string]int{}
	for _, request := range r.Requests {
		if request.Failure != "" {
			counts[request.Kind]++
		}
	}
	return counts
}

// reportFaults writes a line for each kind of fault.
func (r *Run) reportFaults(text *strings.Builder) {
	fmt.Fprint(text, "| fault | how often | no write acknowledged, median | longest | alone | median | longest |\n|---|---|---|---|---|---|---|\n")
	times := r.times()
	for _, kind := range Kinds() {
		var all, alone []time.Duration
		for _, fault := range r.Faults {
			if fault.Kind != kind {
				continue
			}
			outage := Outage(fault, times)
			all = append(all, outage)
			if isAlone(fault, r.Faults) {
				alone = append(alone, outage)
			}
		}
		fmt.Fprintf(text, "| %s | %s | %s |\n", kind, cells(all), cells(alone))
	}
}

// cells returns the number of durations, their median and the longest.
func cells(durations []time.Duration) string {
	if len(durations) == 0 {
		return "0 | | "
	}
	return fmt.Sprintf("%d | %v | %v", len(durations), round(median(durations)), round(slices.Max(durations)))
}

func (r *Run) events() (count int) {
	for _, w := range r.Watchers {
		count += w.Events()
	}
	return count
}

func (r *Run) connections() (count int) {
	for _, w := range r.Watchers {
		count += len(w.Watches)
	}
	return count
}

func round(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}
