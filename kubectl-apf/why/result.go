package why

import (
	"slices"
	"strings"
	"time"

	"k8s.io/utils/ptr"
)

// Result is what flow control delayed and rejected.
type Result struct {
	// User and FlowSchema are from the query.
	User       string `json:"user,omitempty"`
	FlowSchema string `json:"flowSchema,omitempty"`
	// Evidence is what the flows were found with.
	Evidence Evidence `json:"evidence"`
	// Since and Until span the evidence; they are null without any.
	Since *time.Time `json:"since"`
	Until *time.Time `json:"until"`
	// Flows are the flows of the query, the most rejected and delayed first.
	Flows []Flow `json:"flows"`
	// Levels are the levels of the flows, by name.
	Levels []Level `json:"priorityLevels"`
	// Counters are the metrics of the flow schemas of the query.
	Counters []Counters `json:"counters"`
	// Remedies say what to change, without repetitions.
	Remedies []Remedy `json:"remedies"`
	// Notes are sentences about what was inferred, and what was left out.
	Notes []string `json:"notes,omitempty"`

	missing, about []string // what replicas do not tell, and what is known of the query, of the notes
}

// WhyNothing says why nothing is known of what was asked for. It returns "" if something is.
func (r *Result) WhyNothing() string {
	if r.Evidence != Nothing || len(r.Counters) > 0 {
		return ""
	}
	return strings.Join(slices.Concat([]string{r.summary()}, r.about, []string{"Add an audit log with -f, or use flowcontrol-apiserver, which remembers rejections."}, r.missing), " ")
}

// Affected reports whether any request of the query was delayed or rejected. Counters are of the time since
// the servers started, so they tell it only where no flow is known.
func (r *Result) Affected() bool {
	for _, c := range r.Counters {
		if r.Evidence == Nothing && reasons(c.Rejected) != "" {
			return true
		}
	}
	for i := range r.Flows {
		if r.Flows[i].Rejected > 0 || ptr.Deref(r.Flows[i].Delayed, 0) > 0 {
			return true
		}
	}
	return false
}

// Evidence is what flows are found with, see the package comment.
type Evidence string

// The kinds of evidence.
const (
	// Annotated events are exact.
	Annotated Evidence = "annotated events"
	// Inferred means that events lack annotations, at least some.
	Inferred Evidence = "events"
	// Remembered is what flowcontrol-apiserver remembers.
	Remembered Evidence = "top_flows and rejections"
	// Nothing means that no flow is known; there may be counters.
	Nothing Evidence = "none"
)

// Flow is what happened to the requests of the query in one flow.
type Flow struct {
	PriorityLevel string `json:"priorityLevel"`
	FlowSchema    string `json:"flowSchema"`
	Distinguisher string `json:"distinguisher"`
	// Queues are as in explain.Flow.Hand; empty for a level without queues.
	Queues []int `json:"queues"`
	// Users are the users with the most requests.
	Users []User `json:"users"`
	// Requests is the number of all requests, Rejected of the rejected ones, Delayed of the ones
	// that waited and executed; null if that is unknown. More may have waited if WaitsUnknown, the
	// number of requests that do not tell it, is not 0.
	Requests     *int `json:"requests"`
	Rejected     int  `json:"rejected"`
	Delayed      *int `json:"delayed"`
	WaitsUnknown int  `json:"waitsUnknown,omitempty"`
	// Reasons count the rejections by reason, as in metrics.
	Reasons map[string]int `json:"reasons"`
	// First and Last are when the first and the last of these requests arrived, that
	// were rejected or delayed.
	First *time.Time `json:"first"`
	Last  *time.Time `json:"last"`
	// LongestWaitSeconds and WaitSeconds are the longest wait and the sum of waits, in
	// seconds; null if they are unknown.
	LongestWaitSeconds *float64 `json:"longestWaitSeconds"`
	WaitSeconds        *float64 `json:"waitSeconds"`
	// SeatSeconds is what these requests used, FlowSeatSeconds what the whole flow
	// used, and FairShare what it was entitled to, all in seat-seconds; null if that is unknown. If only
	// bounds are known, these are the lower ones.
	SeatSeconds           *float64 `json:"seatSeconds"`
	SeatSecondsAtMost     *float64 `json:"seatSecondsAtMost,omitempty"`
	FlowSeatSeconds       *float64 `json:"flowSeatSeconds"`
	FlowSeatSecondsAtMost *float64 `json:"flowSeatSecondsAtMost,omitempty"`
	FairShare             *float64 `json:"fairShare"`
	FairShareAtMost       *float64 `json:"fairShareAtMost,omitempty"`
	// Tenant is the namespace whose service accounts share TenantFairShare, in seat-seconds; empty if the
	// flow is a tenant of its own.
	Tenant                string   `json:"tenant,omitempty"`
	TenantFairShare       *float64 `json:"tenantFairShare,omitempty"`
	TenantFairShareAtMost *float64 `json:"tenantFairShareAtMost,omitempty"`
	// Exact reports whether nothing of this is inferred.
	Exact bool `json:"exact"`
}

// User is a user and the number of their requests.
type User struct {
	Name     string `json:"name"`
	Requests int    `json:"requests"`
}

// Level is a priority level during the evidence. What is unknown is null, as is a limit of an exempt one.
type Level struct {
	Name string `json:"name"`
	// Type is Exempt, Reject or Queue; empty if it is unknown.
	Type string `json:"type"`
	// Nominal is the nominal limit of each server, and Limit the one that the capacity
	// is computed with, in seats. Current reports whether this is the current limit.
	Nominal *int     `json:"nominal"`
	Limit   *float64 `json:"limit"`
	Current bool     `json:"current"`
	// Servers is the number of API servers.
	Servers int `json:"servers"`
	// Capacity, Used and Demanded are of all flows, in seat-seconds. Demanded is null if it is
	// unlimited, too.
	Capacity       *float64 `json:"capacity"`
	Used           *float64 `json:"used"`
	UsedAtMost     *float64 `json:"usedAtMost,omitempty"`
	Demanded       *float64 `json:"demanded"`
	DemandedAtMost *float64 `json:"demandedAtMost,omitempty"`
	// Seconds is the time that these are about, when requests of the query were rejected or waited.
	Seconds *float64 `json:"seconds"`
	// ByServer are the API servers, if there are several.
	ByServer []Server `json:"byServer,omitempty"`
	// Flows is the number of flows.
	Flows *int `json:"flows"`
	// Heaviest are the flows that used most.
	Heaviest []Use `json:"heaviest"`
}

// Server is a priority level on one API server: its capacity and what was used of it, in seat-seconds.
type Server struct {
	Name       string   `json:"name"`
	Requests   int      `json:"requests"`
	Rejected   int      `json:"rejected"`
	Capacity   *float64 `json:"capacity"`
	Used       float64  `json:"used"`
	UsedAtMost *float64 `json:"usedAtMost,omitempty"`
}

// Use is what a flow used, in seat-seconds.
type Use struct {
	FlowSchema        string   `json:"flowSchema"`
	Distinguisher     string   `json:"distinguisher"`
	SeatSeconds       float64  `json:"seatSeconds"`
	SeatSecondsAtMost *float64 `json:"seatSecondsAtMost,omitempty"`
}

// Counters are metrics of a flow schema, summed over the servers, since their start. What no
// server tells is null.
type Counters struct {
	PriorityLevel string            `json:"priorityLevel"`
	FlowSchema    string            `json:"flowSchema"`
	Dispatched    *uint64           `json:"dispatched"`
	Rejected      map[string]uint64 `json:"rejected"`
	// Waits is the number of observed waits, waits of 0 s included, MeanWaitSeconds their mean.
	Waits           *uint64  `json:"waits"`
	MeanWaitSeconds *float64 `json:"meanWaitSeconds"`
}

// Remedy is one thing to change.
type Remedy struct {
	// Action is a sentence that says what to do, Because one with the figures.
	Action  string `json:"action"`
	Because string `json:"because"`
	// Object and Field name what to change, if it is an object; From and To are its
	// values.
	Object string `json:"object,omitempty"`
	Field  string `json:"field,omitempty"`
	From   any    `json:"from,omitempty"`
	To     any    `json:"to,omitempty"`
}
