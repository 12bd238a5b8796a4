package record

import (
	"fmt"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// share is a number of requests and the time that they took.
type share struct {
	requests int64
	took     time.Duration
}

func (s *share) add(took time.Duration) {
	s.requests++
	s.took += took
}

// tally counts what is known about the requests of a trace.
type tally struct {
	share // all

	noWait, noExecution, noSeats, noLevel, noGroups, noUser, implied share
	// noEvent and noLine are requests that the other log has, where both are read.
	noEvent, noLine, noLatency share
	joined                     int64
	// around are the times in the filters around flow control.
	around   []time.Duration
	replicas map[string]bool

	longRunning, unauthenticated, unclassified, jumped, repeated int64
}

// maxAround is the number of requests whose time around flow control is kept.
const maxAround = 100_000

func (t *tally) add(i *item) {
	r := &i.Request.Request
	var took time.Duration
	if r.Latency != nil && r.Verb != "watch" {
		took = r.Latency.Duration
	}
	t.share.add(took)
	_, waitKnown := r.Waited(0)
	for _, missing := range []struct {
		is   bool
		from *share
	}{
		{!waitKnown, &t.noWait}, {r.Execution == nil && r.Rejected == "", &t.noExecution}, {r.Seats == nil, &t.noSeats},
		{r.PriorityLevel == "", &t.noLevel}, {len(r.Groups) == 0 || i.GroupsImplied, &t.noGroups}, {r.User == "", &t.noUser}, {i.GroupsImplied, &t.implied}, {r.Latency == nil, &t.noLatency},
		{i.Origin == fromLine, &t.noEvent}, {i.Origin == fromAudit, &t.noLine},
	} {
		if missing.is {
			missing.from.add(took)
		}
	}
	if i.Origin == fromBoth {
		t.joined++
	}
	if i.Around != nil && len(t.around) < maxAround {
		t.around = append(t.around, *i.Around)
	}
	if r.Replica != "" {
		if t.replicas == nil {
			t.replicas = map[string]bool{}
		}
		t.replicas[r.Replica] = true
	}
}

// of returns the shares of the requests and of the seconds.
func (t *tally) of(s share) (requests, seconds float64) {
	if t.took > 0 {
		seconds = float64(s.took) / float64(t.took)
	}
	return float64(s.requests) / float64(t.requests), seconds
}

// leftOut returns what the source leaves out.
func (t *tally) leftOut(source trace.Source) trace.LeftOut {
	var l trace.LeftOut
	l.WithoutWait, l.WaitSeconds = t.of(t.noWait)
	l.WithoutExecution, _ = t.of(t.noExecution)
	l.WithoutSeats, _ = t.of(t.noSeats)
	l.WithoutLevel, _ = t.of(t.noLevel)
	l.WithoutUser, _ = t.of(t.noUser)
	l.WithoutGroups, _ = t.of(t.noGroups)
	if source != trace.SourceAudit {
		none := 0.0
		l.Requests, l.Seconds = &none, &none
	}
	l.Notes = slices.Concat(t.sourceNotes(source), t.missingNotes(), t.ungovernedNotes())
	return l
}

// sourceNotes says what the kind of source leaves out.
func (t *tally) sourceNotes(source trace.Source) []string {
	switch source {
	case trace.SourceAudit:
		return []string{"An audit log has no requests that its policy drops. What share they are is unknown: record lines of -v=3 of the same time to know it."}
	case trace.SourceHTTP:
		return []string{"Lines of -v=3 have all requests, and no users."}
	default:
		dropped, seconds := t.of(t.noEvent)
		notes := []string{fmt.Sprintf("The audit log leaves out %s of the requests and %s of the seconds. The trace has them from lines of -v=3, which have no users.", percent(dropped), percent(seconds))}
		if t.noLine.requests > 0 {
			unlogged, _ := t.of(t.noLine)
			notes = append(notes, fmt.Sprintf("%s of the requests have an audit event and no line of -v=3: the logs are of different times, or a part of them is missing.", percent(unlogged)))
		}
		if t.joined == 0 {
			notes = append(notes, "No audit event has the audit ID of a line: the logs may be of different servers or times.")
		}
		return notes
	}
}

// missingNotes says what is unknown about requests that the trace has.
func (t *tally) missingNotes() []string {
	var notes []string
	for _, missing := range []struct {
		of   share
		text string
	}{
		{t.noUser, "The user is unknown of %s of the requests, which took %s of the seconds."},
		{t.implied, "The groups of %s of the requests, which took %s of the seconds, are implied by their users' names: the log has none. Users may be in others."},
		{t.noWait, "The wait is unknown of %s of the requests, which took %s of the seconds."},
		{t.noExecution, "The time of execution is unknown of %s of the requests, which took %s of the seconds."},
		{t.noLevel, "The flow schema and priority level are unknown of %s of the requests, which took %s of the seconds."},
		{t.noSeats, "The seats are unknown of %s of the requests, which took %s of the seconds."},
		{t.noLatency, "How long they took is unknown of %[1]s of the requests."},
	} {
		if missing.of.requests > 0 {
			requests, seconds := t.of(missing.of)
			notes = append(notes, fmt.Sprintf(missing.text, percent(requests), percent(seconds)))
		}
	}
	if len(t.around) > 0 {
		slices.Sort(t.around)
		notes = append(notes, fmt.Sprintf("The wait of a line is its latency minus its execution, so it includes the filters around flow control. They took %s (median) and %s (99th percentile) of exempt requests.",
			t.around[len(t.around)/2].Round(time.Microsecond), t.around[len(t.around)*99/100].Round(time.Microsecond)))
	}
	return notes
}

// ungovernedNotes says which requests are left out on purpose.
func (t *tally) ungovernedNotes() []string {
	var notes []string
	for _, left := range []struct {
		count int64
		text  string
	}{
		{t.longRunning, "%d audit events of long-running requests are left out: flow control does not govern them."},
		{t.unauthenticated, "%d audit events without a user are left out: their authentication failed before flow control."},
		{t.unclassified, "%d lines without a flow schema are left out: flow control did not see these requests."},
		{t.repeated, "%d events and lines are in the logs twice, by their audit IDs, URIs and times, and count once."},
		{t.jumped, "%d requests ended before they began, or a month later: the clock jumped. Their latency is unknown."},
	} {
		if left.count > 0 {
			notes = append(notes, fmt.Sprintf(left.text, left.count))
		}
	}
	return notes
}

// percent returns a share with a precision that shows small ones.
func percent(share float64) string {
	if share > 0 && share < 0.001 {
		return "less than 0.1%"
	}
	return fmt.Sprintf("%.1f%%", 100*share)
}
