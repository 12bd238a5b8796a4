package chaos

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Report returns the figures of a run as Markdown.
func (r *Run) Report() string {
	var text strings.Builder
	fmt.Fprintf(&text, "A run of %v with seed %d on the loopback of one machine:\n\n", r.Length.Round(time.Second), r.Seed)
	fmt.Fprint(&text, "| fault | how often | no write acknowledged, median | longest |\n|---|---|---|---|\n")
	times := r.times()
	for _, kind := range Kinds() {
		var outages []time.Duration
		for _, fault := range r.Faults {
			if fault.Kind == kind {
				outages = append(outages, Outage(fault, times))
			}
		}
		if len(outages) == 0 {
			fmt.Fprintf(&text, "| %s | 0 | | |\n", kind)
			continue
		}
		fmt.Fprintf(&text, "| %s | %d | %v | %v |\n", kind, len(outages), round(median(outages)), round(slices.Max(outages)))
	}
	fmt.Fprint(&text, "\n| | |\n|---|---|\n")
	row := func(name string, count int) { fmt.Fprintf(&text, "| %s | %d |\n", name, count) }
	row("faults", len(r.Faults))
	row("operations acknowledged", r.Acknowledged)
	row("writes among them, each compared with etcd", len(r.Acks))
	row("operations judged by the model of linearizability, those without an answer included", len(r.Operations))
	row("objects whose operations took too long to judge", len(r.Undecided))
	sent, failed, retriable := r.sent()
	row("requests of these clients", sent)
	row("requests without an answer, or with 429 or 5xx, while faults lasted", failed)
	row("those among them that a client may send again whatever they asked for", retriable)
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

// sent counts requests, those that failed, and those of them that may be sent again.
func (r *Run) sent() (sent, failed, retriable int) {
	for _, request := range r.Requests {
		if request.Failure != "" {
			failed++
			if request.Retriable {
				retriable++
			}
		}
	}
	return len(r.Requests), failed, retriable
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
