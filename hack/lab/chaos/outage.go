package chaos

import (
	"slices"
	"time"
)

// after is how long after the end of a fault a gap still counts as caused by it.
const after = 2 * time.Second

// Outage returns how long no write was acknowledged to any client because of a fault:
// the longest time between two acknowledgements, one of them possibly before the fault or after it.
// Faults that overlap share it. times are when writes were acknowledged, sorted.
func Outage(fault Fault, times []time.Duration) (longest time.Duration) {
	first, _ := slices.BinarySearch(times, fault.Start)
	for i := max(first, 1); i < len(times) && times[i-1] < fault.End+after; i++ {
		longest = max(longest, times[i]-times[i-1])
	}
	return longest
}

// isAlone reports whether no other fault lasted or just ended when a fault happened.
func isAlone(fault Fault, all []Fault) bool {
	return !slices.ContainsFunc(all, func(other Fault) bool {
		return other != fault && other.Start < fault.End+after && fault.Start < other.End+after
	})
}

// median returns the middle one of durations, 0 if there are none.
func median(durations []time.Duration) time.Duration {
	if len(durations) == 0 {
		return 0
	}
	slices.Sort(durations)
	return durations[len(durations)/2]
}
