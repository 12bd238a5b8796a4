package why

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// leaderElection is the built-in priority level for leases.
const leaderElection = "leader-election"

// LeaseResult says why leases were not renewed in time. Its JSON form is stable.
type LeaseResult struct {
	// Lease is from the query; "" for all.
	Lease string `json:"lease,omitempty"`
	// Leases are the leases of the query, those with the longest gaps first.
	Leases   []Lease  `json:"leases"`
	Remedies []Remedy `json:"remedies"`
	Notes    []string `json:"notes,omitempty"`
}

// Lease is a lease of a leader election. Times are in seconds.
type Lease struct {
	Name   string `json:"name"`
	Holder string `json:"holder,omitempty"`
	// Level is the priority level of its requests.
	Level    string `json:"priorityLevel,omitempty"`
	Renewals int    `json:"renewals"`
	// UsualSeconds is the median time between two renewals.
	UsualSeconds    float64 `json:"usualSeconds"`
	DurationSeconds float64 `json:"leaseDurationSeconds,omitempty"`
	DeadlineSeconds float64 `json:"renewDeadlineSeconds,omitempty"`
	PeriodSeconds   float64 `json:"retryPeriodSeconds,omitempty"`
	// Gaps are the longest times without a renewal, at least half of the renew deadline.
	Gaps []Gap `json:"gaps"`
}

func (l *Lease) longest() (seconds float64) {
	for i := range l.Gaps {
		seconds = max(seconds, l.Gaps[i].Seconds)
	}
	return seconds
}

// Affected reports whether a renewal was late.
func (r *LeaseResult) Affected() bool {
	return slices.ContainsFunc(r.Leases, func(l Lease) bool { return len(l.Gaps) > 0 })
}

// remedies fills what to change, once for each cause of a lease.
func (r *LeaseResult) remedies() {
	r.Remedies = []Remedy{}
	for i := range r.Leases {
		l, done := &r.Leases[i], map[logs.Cause]bool{}
		for g := range l.Gaps {
			if gap := &l.Gaps[g]; !done[gap.Cause] {
				done[gap.Cause] = true
				r.Remedies = append(r.Remedies, Remedy{
					Action:  l.action(gap.Cause),
					Because: fmt.Sprintf("Lease %s was not renewed%s: %s.", l.Name, gap.forHowLong(), gap.text()),
				})
			}
		}
	}
}

// action says what to change for a cause.
func (l *Lease) action(cause logs.Cause) string {
	const limits = "Until then, longer limits in proportion tolerate it, such as 60s, 40s and 5s."
	switch cause {
	case logs.CauseFlowControl:
		level := ""
		if l.Level != "" && l.Level != leaderElection {
			level = fmt.Sprintf(" Its leases are in priority level %s now.", l.Level)
		}
		return lint.LeasesApart(l.Holder) + level
	case logs.CauseEtcd:
		return "Give etcd a faster disk, or reduce its load: see etcd_disk_wal_fsync_duration_seconds. " + limits
	case logs.CauseServer:
		return "Find what holds up the API server: its CPU, webhooks for leases, restarts, or the way to it. " + limits
	case logs.CauseOwnLimit:
		return "Give the leader election its own client (LeaderElectionConfig in controller-runtime), or raise QPS and Burst: kubectl apf lint --client-log checks whether that is safe."
	case logs.CauseHolder:
		return "Another process holds the lease: see which one in its holderIdentity."
	case logs.CauseError:
		return "See what the API server answers (STATUS): the client may lack a permission for the lease, its credentials may have expired, or the lease was deleted."
	case logs.CauseNotArrived:
		return "Add the log of the client, with --client-log: it shows whether its own limit, the network, or a process without CPU delayed the request, which did not arrive."
	default:
		return "Add an audit log or a log of -v=3 of the same time, with -f or --http-log: it shows what the request waited for."
	}
}

func (g *Gap) forHowLong() string {
	if g.Seconds == 0 { // one line of a client tells it
		return " in time"
	}
	return fmt.Sprintf(" for %.1f s", g.Seconds)
}

// text says what a gap was made of.
func (g *Gap) text() string {
	var parts []string
	for _, cause := range []logs.Cause{logs.CauseFlowControl, logs.CauseEtcd, logs.CauseServer, logs.CauseOwnLimit, logs.CauseHolder, logs.CauseError, logs.CauseNotArrived} {
		if seconds := g.By[cause]; seconds >= 0.05 {
			parts = append(parts, fmt.Sprintf("%s %.1f s", cause, seconds))
		}
	}
	if len(g.Said) > 0 {
		parts = append(parts, fmt.Sprintf("the client says %q", g.Said[0]))
	}
	if len(parts) == 0 {
		return "no data shows why"
	}
	return strings.Join(parts, ", ")
}

// WriteTable writes the result for people.
func (r *LeaseResult) WriteTable(w io.Writer, options table.Options) error {
	gaps := table.New("LEASE", "SINCE", "GAP>", "LOST", "CAUSE", "SURE", "FLOW CONTROL>?2", "ETCD>?2", "API SERVER>?2", "OWN LIMIT>?2", "NOT ARRIVED>?2", "TRIES>?1", "USUAL>?3", "HOLDER+", "LEVEL+")
	lost := 0
	for i := range r.Leases {
		l := &r.Leases[i]
		for g := range l.Gaps {
			gap := &l.Gaps[g]
			row := []string{l.Name, stampOf(gap.Since), secondsText(gap.Seconds), "no", string(gap.Cause), string(gap.Sure)}
			if gap.Lost {
				row[3] = "yes"
				lost++
			}
			for _, cause := range []logs.Cause{logs.CauseFlowControl, logs.CauseEtcd, logs.CauseServer, logs.CauseOwnLimit, logs.CauseNotArrived} {
				row = append(row, secondsText(gap.By[cause]))
			}
			gaps.Rows = append(gaps.Rows, append(row, strconv.Itoa(len(gap.Tries)), secondsText(l.UsualSeconds), l.Holder, l.Level))
		}
	}
	fmt.Fprintf(w, "%s\n\n", r.summary(lost))
	sections := []table.Section{{Title: "TIMES WITHOUT A RENEWAL", Table: gaps}}
	if len(r.Leases) > 0 && len(r.Leases[0].Gaps) > 0 && len(r.Leases[0].Gaps[0].Tries) > 0 {
		l := &r.Leases[0]
		sections = append(sections, table.Section{Title: fmt.Sprintf("REQUESTS OF %s SINCE %s", l.Name, stampOf(l.Gaps[0].Since)), Table: l.Gaps[0].tries()})
	}
	if err := table.WriteSections(w, options, sections...); err != nil {
		return err
	}
	writeRemedies(w, r.Remedies)
	return table.WriteNotes(w, "\n", r.Notes)
}

func (r *LeaseResult) summary(lost int) string {
	renewals, gaps := 0, 0
	for i := range r.Leases {
		renewals += r.Leases[i].Renewals
		gaps += len(r.Leases[i].Gaps)
	}
	what := "Leases"
	if r.Lease != "" {
		what = "Lease " + r.Lease
	}
	if len(r.Leases) > 0 && r.Leases[0].DeadlineSeconds > 0 {
		l := &r.Leases[0]
		what += fmt.Sprintf(" (lease duration %.0fs, renew deadline %.0fs, retry period %.0fs)", l.DurationSeconds, l.DeadlineSeconds, l.PeriodSeconds)
	}
	switch {
	case gaps > 0 && r.Leases[0].DeadlineSeconds == 0: // no log of an API server tells of it
		return fmt.Sprintf("%s: by the log of the client, not renewed in time %d times, and given up %d times.", table.Escape(what), gaps, lost)
	case gaps == 0 && len(r.Leases) == 0:
		return "No lease came near to be lost."
	default:
		return fmt.Sprintf("%s: %d renewals, %d of them late, and %d times the leader lost it.", table.Escape(what), renewals, gaps, lost)
	}
}

// tries returns the requests of a gap.
func (g *Gap) tries() table.Table {
	t := table.New("ARRIVED", "AFTER>", "VERB", "STATUS>", "WAITED>", "ETCD>", "TOOK>", "HELD UP BY")
	for _, one := range g.Tries {
		status := strconv.Itoa(one.Status)
		if one.Rejected != "" {
			status += " " + one.Rejected
		}
		t.Rows = append(t.Rows, []string{
			one.At.UTC().Format("15:04:05.000"), fmt.Sprintf("%.1fs", one.At.Sub(g.Since).Seconds()), one.Verb, status, waitText(one.Waited), waitText(one.Etcd), waitText(one.Took), table.OrDash(string(one.Cause)),
		})
	}
	return t
}

func secondsText(seconds float64) string {
	if seconds < 0.05 {
		return table.Dash
	}
	return fmt.Sprintf("%.1fs", seconds)
}

func stampOf(at time.Time) string {
	if at.IsZero() {
		return table.Dash
	}
	return stamp(&at)
}
