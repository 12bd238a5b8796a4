package source

import (
	"fmt"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// inferTotal returns the number of seats of a replica that gives each level the nominal
// limit in the metrics, and a note about it; 0 without metrics.
//
// The nominal limit of a level is ceil(total * shares / sum of shares), so a limit n allows totals
// in ((n-1) * sum / shares, n * sum / shares]. All levels together allow a small range; the result
// is its roundest number. If the metrics and the objects are not of the same time, no total may
// fit. Then the sum of the limits, which exceeds the total by less than a seat per level, is an
// estimate.
func inferTotal(levels []*flowcontrolv1.PriorityLevelConfiguration, metrics replica.Metrics) (int, string) {
	sum, limits := configuration.SumOfShares(levels), 0
	lowest, highest, known := int64(1), int64(1<<40), 0
	for _, level := range levels {
		figures, exists := metrics.Levels[level.Name]
		s := configuration.Shares(level)
		if !exists || s == 0 || ptr.Deref(figures.Nominal, 0) == 0 {
			continue
		}
		known++
		limits += *figures.Nominal
		n := int64(*figures.Nominal)
		lowest = max(lowest, (n-1)*sum/s+1)
		highest = min(highest, n*sum/s)
	}
	switch {
	case known == 0:
		return 0, assumedTotal()
	case lowest > highest:
		total := max(limits-known/2, 1)
		return total, fmt.Sprintf("The total of an API server is about %d seats, estimated from the sum of the nominal limits; --total names the exact number.", total)
	default:
		total := int(roundest(lowest, highest))
		return total, fmt.Sprintf("The total of an API server, %d seats, is inferred from the nominal limits in /metrics; --total names another number.", total)
	}
}

// roundest returns the number in the range, both ends included, that ends in the most
// zeros, and of these the lowest one.
func roundest(lowest, highest int64) int64 {
	step := int64(1)
	for (highest/(step*10))*(step*10) >= lowest {
		step *= 10
	}
	return (lowest + step - 1) / step * step
}
