package why

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// WriteTable writes the result for people.
func (r *Result) WriteTable(w io.Writer, options table.Options) error {
	fmt.Fprintf(w, "%s\n\n", table.Escape(r.summary()))
	if err := table.WriteSections(w, options, table.Section{Title: "FLOWS", Table: r.flowTable()},
		table.Section{Title: "PRIORITY LEVELS", Table: r.levelTable()},
		table.Section{Title: "API SERVERS", Table: r.serverTable()}, table.Section{Title: "COUNTERS, since the servers started", Table: r.counterTable()}); err != nil {
		return err
	}
	writeRemedies(w, r.Remedies)
	return table.WriteNotes(w, "\n", r.Notes)
}

func writeRemedies(w io.Writer, remedies []Remedy) {
	if len(remedies) > 0 {
		fmt.Fprint(w, "\nWHAT TO CHANGE\n")
	}
	for _, remedy := range remedies {
		fmt.Fprintf(w, "- %s\n  %s\n", table.Escape(remedy.Action), table.Escape(remedy.Because))
	}
}

// summary is one sentence.
func (r *Result) summary() string {
	rejected, delayed, unknown, requests, known := 0, 0, r.Evidence == Remembered, 0, r.Evidence != Remembered
	for i := range r.Flows {
		rejected += r.Flows[i].Rejected
		delayed += ptr.Deref(r.Flows[i].Delayed, 0)
		unknown = unknown || r.Flows[i].Delayed == nil || r.Flows[i].WaitsUnknown > 0
		requests += ptr.Deref(r.Flows[i].Requests, 0)
		known = known && r.Flows[i].Requests != nil
	}
	whose := ""
	if r.User != "" {
		whose += " of user " + r.User
	}
	if r.FlowSchema != "" {
		whose += " of flow schema " + r.FlowSchema
	}
	if r.Evidence == Nothing {
		return "No request" + whose + " is known one by one."
	}
	waited := fmt.Sprintf("%d waited", delayed)
	if unknown {
		waited = "whether others waited is unknown"
	}
	if unknown && delayed > 0 {
		waited = fmt.Sprintf("at least %d waited", delayed)
	}
	of := "Of the requests"
	if known {
		of = fmt.Sprintf("Of %d requests", requests)
	}
	return fmt.Sprintf("%s%s from %s to %s, %d were rejected and %s. Evidence: %s.", of, whose, stamp(r.Since), stamp(r.Until), rejected, waited, r.Evidence)
}

func stamp(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.UTC().Format(time.RFC3339)
}

func (r *Result) flowTable() table.Table {
	t := table.New("LEVEL", "FLOW SCHEMA", "FLOW", "REJECTED>", "WAITED>", "OF>?3", "REASONS", "LONGEST WAIT>?2", "SEAT-SECONDS>?1", "FAIR SHARE>?1", "SINCE?4", "LAST+", "QUEUES+", "USERS+")
	tenants := slices.ContainsFunc(r.Flows, func(f Flow) bool { return f.Tenant != "" })
	if tenants {
		t = t.With("TENANT", "TENANT SHARE>")
	}
	for i := range r.Flows {
		f := &r.Flows[i]
		users := make([]string, len(f.Users))
		for j, user := range f.Users {
			users[j] = user.Name
		}
		cells := []string{
			f.PriorityLevel, f.FlowSchema, f.Distinguisher,
			strconv.Itoa(f.Rejected), table.Known(f.Delayed), table.Known(f.Requests),
			reasons(f.Reasons), waitText(f.LongestWaitSeconds),
			between("%.1f", f.FlowSeatSeconds, f.FlowSeatSecondsAtMost), between("%.1f", f.FairShare, f.FairShareAtMost),
			stamp(f.First), stamp(f.Last), strings.Trim(fmt.Sprint(f.Queues), "[]"), strings.Join(users, ","),
		}
		if tenants {
			cells = append(cells, table.OrDash(f.Tenant), between("%.1f", f.TenantFairShare, f.TenantFairShareAtMost))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// between formats a number that is known, or its bounds if they differ by more than 1 %.
func between(format string, least, most *float64) string {
	if least == nil {
		return table.Dash
	}
	text := fmt.Sprintf(format, *least)
	if most != nil && *most > 1.01**least && fmt.Sprintf(format, *most) != text {
		text += fmt.Sprintf(" to "+format, *most)
	}
	return text
}

func waitText(seconds *float64) string {
	if seconds == nil {
		return table.Dash
	}
	return fmt.Sprintf("%.1fs", *seconds)
}

// reasons names counts by reason.
func reasons[N int | uint64](counts map[string]N) string {
	var texts []string
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		if counts[reason] > 0 {
			texts = append(texts, fmt.Sprintf("%s %d", reason, counts[reason]))
		}
	}
	return strings.Join(texts, ", ")
}

func (r *Result) levelTable() table.Table {
	t := table.New("LEVEL", "TYPE?2", "LIMIT>", "USED>", "FLOWS>?1", "HEAVIEST FLOWS")
	for _, l := range r.Levels {
		var heaviest []string
		for _, use := range l.Heaviest {
			heaviest = append(heaviest, fmt.Sprintf("%s/%s %s", use.FlowSchema, use.Distinguisher, between("%.1f", &use.SeatSeconds, use.SeatSecondsAtMost)))
		}
		t.Rows = append(t.Rows, []string{
			l.Name, table.OrDash(l.Type), between("%.0f", l.Limit, nil), percent(l.Capacity, l.Used, l.UsedAtMost), table.Known(l.Flows), table.OrDash(strings.Join(heaviest, ", ")),
		})
	}
	return t
}

// percent formats a use as a part of a capacity.
func percent(capacity, used, atMost *float64) string {
	factor := 100 / ptr.Deref(capacity, 0)
	if math.IsInf(factor, 0) || used == nil {
		return table.Dash
	}
	var most *float64
	if atMost != nil {
		most = new(*atMost * factor)
	}
	return between("%.0f%%", new(*used*factor), most)
}

func (r *Result) serverTable() table.Table {
	t := table.New("LEVEL", "SERVER", "REQUESTS>", "REJECTED>", "USED>")
	for _, l := range r.Levels {
		for _, s := range l.ByServer {
			t.Rows = append(t.Rows, []string{l.Name, s.Name, strconv.Itoa(s.Requests), strconv.Itoa(s.Rejected), percent(s.Capacity, &s.Used, s.UsedAtMost)})
		}
	}
	return t
}

func (r *Result) counterTable() table.Table {
	t := table.New("FLOW SCHEMA", "LEVEL", "DISPATCHED>", "REJECTED", "MEAN WAIT>?1")
	for _, c := range r.Counters {
		dispatched, rejected, wait := "-", "-", "-"
		if c.Dispatched != nil {
			dispatched = strconv.FormatUint(*c.Dispatched, 10)
		}
		if c.Rejected != nil {
			rejected = reasons(c.Rejected)
		}
		if c.MeanWaitSeconds != nil {
			wait = fmt.Sprintf("%.3fs", *c.MeanWaitSeconds)
		}
		t.Rows = append(t.Rows, []string{c.FlowSchema, c.PriorityLevel, dispatched, rejected, wait})
	}
	return t
}
