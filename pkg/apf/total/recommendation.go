package total

// Reason is why a step changed the total, or did not.
type Reason string

// The reasons. The first three lower the total and are named like the signals.
const (
	// SlowScheduling means that goroutines wait for processors.
	SlowScheduling Reason = "scheduling-latency"
	// LowMemory means that memory is near its limit.
	LowMemory Reason = "memory"
	// Throttled means that the processor quota is used up.
	Throttled Reason = "throttling"
	// Seats means that seats are short, and the machine is not. It raises the total.
	Seats Reason = "seats"

	// Minimum means that the total is at its minimum and does not fall further.
	Minimum Reason = "minimum"
	// Maximum means that the total is at its maximum and does not rise further.
	Maximum Reason = "maximum"
	// Needed means that exempt and mandatory priority levels need the seats.
	Needed Reason = "needed"

	// Unused means that the machine is short, but too few seats are in use for a smaller
	// total to matter.
	Unused Reason = "unused"
	// Enough means that neither the machine nor seats are short.
	Enough Reason = "enough"
	// NearShort means that seats are short, and the machine is not, but almost.
	NearShort Reason = "near-short"
	// Unknown means that seats are short, and the scheduling latency is unknown.
	Unknown Reason = "unknown"
	// Early means that less than the Period has passed since the last step.
	Early Reason = "early"
)

// reasonOf returns the reason for lowering the total because of a signal.
func reasonOf(signal Signal) Reason { return Reason(signal.String()) }

// Recommendation is the outcome of a step.
type Recommendation struct {
	// Total is the number of seats recommended.
	Total int
	// Reasons is why; the first one counts most.
	Reasons []Reason
	// Pressure is the median of each signal in units of the threshold that makes it short; NaN if
	// it is unknown.
	Pressure [SignalCount]float64
}

// Status is the state of the recommendation, for metrics.
type Status struct {
	// InEffect is the present total.
	InEffect int
	// Active reports whether there is a recommendation: the mode is not Static.
	Active bool
	// Recommendation is the last one.
	Recommendation Recommendation
	// Steps counts the steps by reason.
	Steps map[Reason]uint64
}
