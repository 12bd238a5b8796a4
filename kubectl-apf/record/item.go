package record

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
)

// origin is the kind of log that an item comes from.
type origin uint8

const (
	fromAudit origin = iota
	fromLine
	fromBoth
)

// item is what one log tells about a request, or both.
type item struct {
	Origin origin
	// Segment is the index of the segment that it is in; -1 if the log names its server.
	Segment int
	logs.Request
}

// weightOf returns the bytes of the texts of an item that may be long. Selectors are a part of the URI.
func weightOf(i *item) int {
	weight := 2*len(i.URI) + len(i.Client) + len(i.Said) + len(i.User) + len(i.Name)
	for _, group := range i.Groups {
		weight += len(group)
	}
	return weight
}

func byArrival(a, b *item) int { return a.Arrival.Compare(b.Arrival) }

// byID compares by audit ID and URI, then by the arrival.
func byID(a, b *item) int {
	return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.URI, b.URI), byArrival(a, b))
}

// join returns what an audit event and a line tell about the same request.
func join(event, line *item) item {
	out := *event
	out.Origin, out.Around = fromBoth, line.Around
	if line.Segment < 0 {
		out.Segment = -1 // the line names the server
	}
	out.Seats, out.Execution = cmp.Or(line.Seats, out.Seats), cmp.Or(line.Execution, out.Execution)
	out.Wait = cmp.Or(out.Wait, line.Wait)
	if out.FlowSchema == "" {
		out.FlowSchema, out.PriorityLevel = line.FlowSchema, line.PriorityLevel
	}
	out.Rejected, out.Replica = cmp.Or(out.Rejected, line.Rejected), cmp.Or(out.Replica, line.Replica)
	return out
}

// key identifies a request: what is there twice has the same. A client may send an audit ID again.
func (i *item) key() string {
	return strings.Join([]string{i.ID, i.URI, i.User, i.Verb, i.Completed.String(), strconv.Itoa(int(i.Origin))}, "\x00")
}
