package trace

import (
	"fmt"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/names"
)

// Kind and APIVersion are the same in every header.
const (
	Kind       = "Trace"
	APIVersion = names.TraceVersion
)

// Source says where the requests of a trace come from.
type Source string

// The sources.
const (
	// SourceAudit is audit logs.
	SourceAudit Source = "audit-log"
	// SourceHTTP is the lines that API servers log with -v=3 for each request.
	SourceHTTP Source = "http-log"
	// SourceJoined is both, joined by the audit ID.
	SourceJoined Source = "audit-log and http-log"
	// SourceScenario is no log: no server received these requests.
	SourceScenario Source = "scenario"
)

// Header is the first line of a trace.
type Header struct {
	// Kind and APIVersion are set by writers.
	Kind       string `json:"kind"`
	APIVersion string `json:"apiVersion"`
	Source     Source `json:"source"`
	// Requests is the number of requests; 0 if the writer did not know it.
	Requests int64 `json:"requests,omitempty"`
	// Start and End are the first and the last arrival; nil if the writer did not know
	// them.
	Start *time.Time `json:"start,omitempty"`
	End   *time.Time `json:"end,omitempty"`
	// Replicas are the names of the servers, sorted; empty if the source names none.
	Replicas []string `json:"replicas,omitempty"`
	// Seed is the seed of a generated trace.
	Seed uint64 `json:"seed,omitempty"`
	// Stored is what the servers stored, by resource, such as "pods" or
	// "deployments.apps": it decides how many seats a list takes.
	Stored map[string]Stored `json:"stored,omitempty"`
	// LeftOut is what the source leaves out.
	LeftOut LeftOut `json:"leftOut,omitzero"`
}

// Stored is what a server knows about the stored objects of a resource.
type Stored struct {
	// Objects is the number of objects in all namespaces.
	Objects int64 `json:"objects"`
	// Bytes is the average size of an object; 0 if it is unknown.
	Bytes int64 `json:"bytes,omitempty"`
}

// LeftOut is what a source leaves out. Shares are from 0 to 1.
type LeftOut struct {
	// Requests is the share of the requests that the source does not have, and Seconds
	// the share of the seconds that they took; nil if they are unknown.
	Requests *float64 `json:"requests,omitempty"`
	Seconds  *float64 `json:"seconds,omitempty"`
	// WithoutWait is the share of the requests in the trace whose wait is unknown, and
	// WaitSeconds the share of the seconds that these requests took, of the seconds of
	// all: an upper bound of what their waits may be.
	WithoutWait float64 `json:"withoutWait,omitempty"`
	WaitSeconds float64 `json:"waitSeconds,omitempty"`
	// WithoutExecution, WithoutSeats, WithoutLevel, WithoutUser and WithoutGroups are the
	// shares of the requests in the trace whose execution, seats, priority level, user and
	// groups are unknown.
	WithoutExecution float64 `json:"withoutExecution,omitempty"`
	WithoutSeats     float64 `json:"withoutSeats,omitempty"`
	WithoutLevel     float64 `json:"withoutLevel,omitempty"`
	WithoutUser      float64 `json:"withoutUser,omitempty"`
	WithoutGroups    float64 `json:"withoutGroups,omitempty"`
	// Notes are sentences about all this.
	Notes []string `json:"notes,omitempty"`
}

// validate returns what is wrong with a header.
func (h *Header) validate() error {
	switch {
	case h.Kind != Kind:
		return fmt.Errorf("has the kind %q, must be %q: this is not a trace", h.Kind, Kind)
	case h.APIVersion != APIVersion:
		return fmt.Errorf("has the apiVersion %q, must be %q: record the trace again with this version of kubectl apf", h.APIVersion, APIVersion)
	case h.Requests < 0:
		return fmt.Errorf("has %d requests, must not be negative", h.Requests)
	default:
		return nil
	}
}
