package top

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// total names the sum in tables. No object has a name in capitals.
const total = "TOTAL"

// WriteTable writes the levels and their sum.
func (l Levels) WriteTable(w io.Writer, options table.Options) error {
	out := table.New("LEVEL", "SEATS>", "LIMIT>", "NOMINAL>?3", "LOWER>+", "UPPER>+", "EXECUTING>+", "WAITING>", "OLDEST>?2", "REJECTED/S>?1", "REPLICAS>+")
	for _, level := range append(slices.Clip(l.Levels), l.Total) {
		out.Rows = append(out.Rows, []string{
			cmp.Or(level.Name, total), table.Known(level.SeatsInUse), table.Known(level.CurrentLimit), table.Known(level.NominalLimit),
			table.Known(level.LowerLimit), table.Known(level.UpperLimit), table.Known(level.Executing), table.Known(level.Waiting),
			wait(level.OldestWaitSeconds), table.Tenths(level.RejectedPerSecond), strconv.Itoa(level.Replicas),
		})
	}
	return write(w, out, options, "levels", l.Omitted, l.Origin)
}

// WriteTable writes the flows and their sum.
func (f Flows) WriteTable(w io.Writer, options table.Options) error {
	out := table.New("FLOWSCHEMA", "FLOW", "SEAT-SECONDS>", "SEATS>", "EXECUTING>+", "WAITING>?1", "OLDEST>?2", "LEVEL?3", "ERROR>+")
	tenants := slices.ContainsFunc(f.Flows, func(flow Flow) bool { return flow.Tenant != "" })
	if tenants {
		out = out.With("TENANT", "TENANT SHARE>")
	}
	for _, flow := range append(slices.Clip(f.Flows), f.Total) {
		cells := []string{
			cmp.Or(flow.FlowSchema, total), flow.Distinguisher, table.Tenths(flow.SeatSeconds), table.Known(flow.SeatsInUse), table.Known(flow.Executing),
			table.Known(flow.Waiting), wait(flow.OldestWaitSeconds), flow.Level, table.Tenths(flow.SeatSecondsError),
		}
		if tenants {
			cells = append(cells, table.OrDash(flow.Tenant), share(flow.TenantShare))
		}
		out.Rows = append(out.Rows, cells)
	}
	return write(w, out, options, "flows", f.Omitted, f.Origin)
}

// WriteTable writes the requests.
func (r Requests) WriteTable(w io.Writer, options table.Options) error {
	out := table.New("AGE>", "STATE", "SEATS>", "USER", "VERB?1", "PATH?2", "FLOWSCHEMA?3", "LEVEL?4", "WAITED>+", "QUEUE>+", "PLACE>+", "REPLICA+")
	for _, request := range r.Requests {
		out.Rows = append(out.Rows, []string{
			wait(request.AgeSeconds), string(request.State), table.Known(request.InitialSeats), request.User, request.Verb, request.Path,
			request.FlowSchema, request.Level, wait(request.WaitSeconds), index(request.Queue), index(request.Place), request.Replica,
		})
	}
	return write(w, out, options, "requests", r.Omitted, r.Origin)
}

func write(w io.Writer, out table.Table, options table.Options, what string, omitted int, origin Origin) error {
	if err := out.Write(w, options); err != nil {
		return err
	}
	if omitted > 0 {
		fmt.Fprintf(w, "%d more %s\n", omitted, what)
	}
	origin.write(w, options.Wide)
	return nil
}

// index formats an index, which is negative if there is none.
func index(i int) string {
	if i < 0 {
		return table.Dash
	}
	return strconv.Itoa(i)
}

func wait(seconds *float64) string {
	if seconds == nil {
		return table.Dash
	}
	return span(*seconds)
}

// span formats a time in seconds as kubectl does, but with a decimal below 10 seconds.
func span(seconds float64) string {
	if seconds < 10 {
		return strconv.FormatFloat(seconds, 'f', 1, 64) + "s"
	}
	return duration.HumanDuration(time.Duration(seconds * float64(time.Second)))
}
