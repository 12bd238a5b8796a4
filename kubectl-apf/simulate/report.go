package simulate

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
)

// Report is what a trace becomes under each configuration.
type Report struct {
	Trace TraceInfo `json:"trace"`
	// Doubt says what in the baseline contradicts the trace; "" if nothing does.
	Doubt string `json:"doubt,omitempty"`
	// Results are the results of the configurations. The first one is the baseline.
	Results []Result `json:"results"`
	// Differences are between the other results and the baseline, the largest first.
	Differences []Difference `json:"differences,omitempty"`
	// Limits are what becomes of clients without their own limits.
	Limits []LimitEffect `json:"clientLimits,omitempty"`
	// Assertions are the results of assertions, in their order.
	Assertions []Verdict `json:"assertions,omitempty"`
}

// TraceInfo is what is known of the trace.
type TraceInfo struct {
	Name   string    `json:"name"`
	Source string    `json:"source"`
	Start  time.Time `json:"start"`
	// Recorded is what became of the requests then.
	Recorded Recorded `json:"recorded"`
	// Notes are sentences about what the trace leaves out.
	Notes []string `json:"notes,omitempty"`
}

// Result is what a trace becomes under one configuration.
type Result struct {
	// Name is the name of the configuration.
	Name     string     `json:"name"`
	Engine   EngineKind `json:"engine"`
	Release  string     `json:"release,omitempty"`
	Loop     Loop       `json:"loop"`
	Replicas int        `json:"replicas"`
	// Total is the number of seats of all replicas.
	Total int `json:"total"`
	// Seconds is the virtual time that was simulated.
	Seconds float64 `json:"seconds"`
	// Read is the number of requests of the trace that were read, NotSent of the requests that
	// clients of a closed loop did not send before its end.
	Read    int64 `json:"read"`
	NotSent int64 `json:"notSent,omitempty"`
	// LeftOut is the number of requests whose flow schema is unknown, so that they were not
	// sent; Notes say why.
	LeftOut int64 `json:"leftOut,omitempty"`
	Figures
	// Levels are by name, FlowSchemas by level and name. Those without requests are left
	// out of FlowSchemas.
	Levels      []Level  `json:"priorityLevels"`
	FlowSchemas []Schema `json:"flowSchemas"`
	// Flows are the flows of each level that used most seat-seconds, in this or another result: by
	// level, the heaviest first.
	Flows []Flow `json:"flows"`
	// Notes are sentences about what was assumed.
	Notes []string `json:"notes,omitempty"`
}

// Figures count what became of requests.
type Figures struct {
	Requests   uint64 `json:"requests"`
	Dispatched uint64 `json:"dispatched"`
	// Waited is the number of those dispatched that waited.
	Waited   uint64 `json:"waited"`
	Rejected uint64 `json:"rejected"`
	// RejectedBy are the rejected ones by reason.
	RejectedBy map[string]uint64 `json:"rejectedBy,omitempty"`
	// Retries are the requests that repeat a rejected one, in a closed loop.
	Retries     uint64  `json:"retries,omitempty"`
	SeatSeconds float64 `json:"seatSeconds"`
	Wait        Wait    `json:"wait"`
}

// Wait is how long dispatched requests waited, in seconds.
type Wait struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// Level is a priority level.
type Level struct {
	Name string `json:"name"`
	// Type is Exempt, Reject or Queue.
	Type string `json:"type"`
	Figures
	// Limits are of all replicas.
	configuration.Limits
	// Limit is the current limit, Seats the seats in use, over time.
	Limit Spread `json:"limit"`
	Seats Spread `json:"seats"`
	// Borrowed are the seats in use above the nominal limit, Lent what the current limit
	// is below it, over time.
	Borrowed Spread `json:"borrowed"`
	Lent     Spread `json:"lent"`
	// MostWaiting is the largest number of requests that waited at one time.
	MostWaiting int `json:"mostWaiting"`
}

// Spread is the mean and the extremes over time, in seats.
type Spread struct {
	Mean float64 `json:"mean"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
}

// Schema is a flow schema on a priority level.
type Schema struct {
	Name  string `json:"name"`
	Level string `json:"priorityLevel"`
	Figures
}

// Flow is a flow.
type Flow struct {
	Level         string `json:"priorityLevel"`
	Schema        string `json:"flowSchema"`
	Distinguisher string `json:"distinguisher"`
	Figures
}
