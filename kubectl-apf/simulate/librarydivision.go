package simulate

import (
	"math"
	"time"

	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// setNominal computes the limits that follow from the shares.
func (u *library) setNominal() {
	shares := make([]allocation.Share, len(u.levels))
	for i, l := range u.levels {
		shares[i] = l.config.Share
	}
	for i, limits := range allocation.Nominal(u.total, shares) {
		l := u.levels[i]
		l.Limits, l.current = configuration.Limits(limits), limits.Nominal
		// The library does not bound the upper limit by the total.
		l.Upper = limits.Nominal + u.total
		if percent := l.config.BorrowingLimitPercent; percent != nil {
			l.Upper = limits.Nominal + int(math.Round(float64(limits.Nominal)*float64(*percent)/100))
		}
	}
}

// dispatching returns the current limit for the queue set.
func (l *libraryLevel) dispatching(total int) fq.DispatchingConfig {
	denominator := l.current
	if denominator <= 0 {
		denominator = max(1, int(math.Round(float64(total)/10)))
	}
	return fq.DispatchingConfig{ConcurrencyLimit: l.current, ConcurrencyDenominator: denominator}
}

func (u *library) rebalance() {
	for _, l := range u.levels {
		results := l.demand.Reset()
		deviation := results.Deviation
		if math.IsNaN(deviation) {
			deviation = 0
		}
		l.period = allocation.DemandPeriod{HighWatermark: int(math.Round(results.Max))}
		if results.Duration > 0 {
			l.period.Duration = time.Duration(results.Duration * float64(time.Second))
			l.period.Average, l.period.Deviation = results.Average, deviation
		}
		l.smoothed = allocation.SmoothDemand(l.smoothed, l.period)
	}
	u.divide()
	for _, l := range u.levels {
		completer, err := l.set.BeginConfigChange(l.queuing)
		if err != nil {
			panic(err) // the same configuration was valid before
		}
		completer.Complete(l.dispatching(u.total))
	}
	u.wake()
}

// claim is the range of a level's current limit.
type claim struct {
	level       *libraryLevel
	least, most int
	target      float64
	lower       int
}

// divide computes the current limits from the demand of the last period, as the controller
// of k8s.io/apiserver v0.33 does. It differs from package allocation in that the limited levels
// share the sum of all nominal limits, exempt levels' included, unless that is not enough for their
// minima, and in rounding. If their upper limits do not add up to that sum, nothing changes.
func (u *library) divide() {
	sum, lowerSum, leastSum := 0, 0, 0
	var limited []claim
	for _, l := range u.levels {
		sum += l.Nominal
	}
	rest := sum
	for _, l := range u.levels {
		high := l.period.HighWatermark
		if l.config.Discipline == queueset.Exempt {
			l.current = max(l.Lower, high)
			rest -= l.current
			continue
		}
		least := max(l.Lower, min(l.Nominal, high))
		limited = append(limited, claim{level: l, least: least, most: l.Upper, target: max(float64(least), l.smoothed), lower: l.Lower})
		lowerSum += l.Lower
		leastSum += least
	}
	switch {
	case rest <= lowerSum:
		for _, c := range limited {
			c.level.current = c.lower
		}
	case rest <= leastSum:
		share := float64(rest-lowerSum) / float64(leastSum-lowerSum)
		for _, c := range limited {
			c.level.current = c.lower + int(math.Round(float64(c.least-c.lower)*share))
		}
	default:
		divideFairly(float64(sum), limited)
	}
}

// minTarget is the smallest target of a level in seats.
const minTarget = 0.001

// divideFairly sets each current limit to clamp(f·target, least, most) for the f that makes them
// sum to the given number of seats. The sum grows with f, so f is bisected.
func divideFairly(sum float64, claims []claim) {
	seats := func(c claim, f float64) float64 {
		return min(max(f*max(c.target, minTarget), float64(c.least)), float64(max(c.most, c.least)))
	}
	total := func(f float64) (sum float64) {
		for _, c := range claims {
			sum += seats(c, f)
		}
		return sum
	}
	low, high := 0.0, 1.0
	for total(high) < sum {
		if high > math.MaxFloat32 {
			return // even the upper limits are less
		}
		high *= 2
	}
	for range 64 { // more halves change no seat
		middle := (low + high) / 2
		if total(middle) < sum {
			low = middle
		} else {
			high = middle
		}
	}
	for _, c := range claims {
		c.level.current = int(math.Round(seats(c, high)))
	}
}
