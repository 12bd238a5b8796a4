package top

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// Origin says where figures are from.
type Origin struct {
	Replicas []replica.Replica `json:"replicas"`
	// partial are sentences about figures that do not include all replicas.
	partial []string
	// wide are sentences about columns that only a wide table has.
	wide []string
}

func originOf(replicas []replica.Replica) Origin {
	origin := Origin{Replicas: append([]replica.Replica{}, replicas...)}
	if told := origin.told(); told < len(replicas) {
		origin.partial = []string{fmt.Sprintf("The figures are from %d of %d API servers.", told, len(replicas))}
	}
	return origin
}

// lacking adds a sentence about figures that only some of the replicas that can be reached
// tell by an endpoint.
func (o *Origin) lacking(figures string, replicas []replica.Replica, endpoint replica.Endpoint) {
	telling := 0
	for i := range replicas {
		if r := &replicas[i]; !r.Away && tells(r, endpoint) {
			telling++
		}
	}
	if telling > 0 && telling < o.told() {
		o.partial = append(o.partial, fmt.Sprintf("%s are from %d of %d API servers: the others do not report them.", figures, telling, len(replicas)))
	}
}

// write writes what the figures lack, a line for each part that a replica does not
// tell.
func (o Origin) write(w io.Writer, wide bool) {
	sentences := o.partial
	if wide {
		sentences = slices.Concat(sentences, o.wide)
	}
	for _, sentence := range sentences {
		fmt.Fprintln(w, "Note: "+sentence)
	}
	// Queues are only asked for where there may be nothing else.
	for _, note := range replica.MissingNotes(o.Replicas, func(m replica.Missing) bool { return m.What != string(replica.EndpointQueues) }) {
		fmt.Fprintln(w, "Note: "+table.Escape(note))
	}
}

// WhyNothing says why figures rest on nothing: no replica told any of the endpoints that
// they are computed from. It returns "" if one did.
func WhyNothing(replicas []replica.Replica, endpoints ...replica.Endpoint) string {
	for i := range replicas {
		r := &replicas[i]
		if !r.Away && slices.ContainsFunc(endpoints, func(endpoint replica.Endpoint) bool { return tells(r, endpoint) }) {
			return ""
		}
	}
	reasons := replica.MissingNotes(replicas, func(replica.Missing) bool { return true })
	return strings.Join(append([]string{"No API server reports who holds the seats."}, reasons...), " ")
}

// tells reports whether a replica told an endpoint, possibly not all of it.
func tells(r *replica.Replica, endpoint replica.Endpoint) bool {
	rows := map[replica.Endpoint]int{
		replica.EndpointMetrics: len(r.Metrics.Levels), replica.EndpointLevels: len(r.Levels),
		replica.EndpointRequests: len(r.Requests), replica.EndpointFlows: len(r.Flows), replica.EndpointQueues: len(r.Queues),
	}
	return rows[endpoint] > 0 || !r.Lacks(endpoint)
}

// told returns the number of replicas that could be reached.
func (o Origin) told() int {
	count := 0
	for i := range o.Replicas {
		if !o.Replicas[i].Away {
			count++
		}
	}
	return count
}

// forget makes the figures of a total unknown that a part of it does not tell: a sum of some is none of all.
func forget(total, part []**int) {
	for i, figure := range part {
		if *figure == nil {
			*total[i] = nil
		}
	}
}

// longer makes the longest known wait not less than wait, in seconds; nil if it is unknown.
func longer(longest **float64, wait *float64) {
	if wait != nil && (*longest == nil || **longest < *wait) {
		*longest = new(*wait)
	}
}
