package replica

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Metrics are the figures of one scrape, which may be a part of one. What no line tells is nil.
type Metrics struct {
	Levels  map[string]LevelMetrics
	Schemas map[SchemaKey]SchemaMetrics
	// Objects are the stored objects of a resource, as the server counts them for
	// the estimates of lists: apiserver_resource_objects, before Kubernetes 1.34
	// apiserver_storage_objects.
	Objects map[schema.GroupResource]int64
	// Bytes is their size, from Kubernetes 1.34 on.
	Bytes map[schema.GroupResource]int64
	// Watches are the watches of a resource that are open on this replica.
	Watches map[schema.GroupResource]int64
	// ProcessStart is when the API server started, in seconds since 1970; 0 if unknown.
	ProcessStart float64
	// ByFlow reports whether the engine is pkg/apf, which has a queue for each flow.
	ByFlow bool
}

// LevelMetrics are the figures of a priority level. Limits and seats are in seats.
type LevelMetrics struct {
	Nominal, Lower, Upper, Current *int
	SeatsInUse                     *int
	// Demand are the high watermark and the smoothed demand of the last period.
	DemandHighWatermark, DemandSmoothed *float64
	// Observed is for how long the server has observed the seats in use: since the level exists. It tells the
	// time between two scrapes. It is 0 if it is unknown.
	Observed time.Duration
}

// SchemaKey names a flow schema and its priority level.
type SchemaKey struct{ Level, FlowSchema string }

// SchemaMetrics are the figures of a flow schema. Counts are since the start of the
// server.
type SchemaMetrics struct {
	Waiting, Executing, SeatsInUse *int
	Dispatched                     *uint64
	Rejected                       map[string]uint64 // by reason: queue-full, concurrency-limit, time-out, cancelled
	// WaitSeconds is the sum of all waits; Waits is their number.
	WaitSeconds *float64
	Waits       *uint64
	// Execution is how long requests executed, in seconds: watches until their initial
	// events were sent. Width is the seats that were estimated for them.
	Execution, Width Histogram
}

// Histogram is a histogram since the start of a server.
type Histogram struct {
	Sum   float64
	Count uint64
	// Buckets are how many values are at most a bound, by the bound.
	Buckets map[float64]uint64
}

// Since returns what was added since an earlier scrape. It does not know what it is if the
// server was restarted in between.
func (h Histogram) Since(before Histogram) Histogram {
	out := Histogram{Sum: h.Sum - before.Sum, Count: h.Count - before.Count, Buckets: make(map[float64]uint64, len(h.Buckets))}
	for bound, count := range h.Buckets {
		out.Buckets[bound] = count - before.Buckets[bound]
	}
	return out
}

// Add adds a figure, nil if it is unknown, to a sum that may be unknown so far.
func Add[T int | uint64 | float64](sum **T, figure *T) {
	switch {
	case figure == nil:
	case *sum == nil:
		*sum = new(*figure)
	default:
		**sum += *figure
	}
}
