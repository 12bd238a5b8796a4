package findings

import (
	"math"
	"slices"
	"time"
)

// arrival is when a request arrived, and when its response was complete.
type arrival struct{ at, end time.Time }

// pace is a stretch of arrivals that a token bucket explains: a client that always has
// requests to send and a limit of q requests a second sends one every 1/q seconds, however
// long they take, because each takes the next token. Before, it may have sent at once the
// tokens that it had saved.
type pace struct {
	from, to  time.Time
	requests  int
	perSecond float64
	burst     int
}

const (
	// minPace and minPaceSpan are what a stretch must have to be no coincidence.
	minPace     = 50
	minPaceSpan = 5 * time.Second
	// seedGaps is the number of gaps whose median is the first guess of the period.
	seedGaps = 20
	// jitter is how far an arrival may be from its place on the grid, in periods.
	jitter = 0.3
	// missing is the largest number of places in a row without an arrival: requests that
	// are not in the log.
	missing = 4
	// present is the share of places that have an arrival.
	present = 0.8
	// whole is how far a limit may be from a whole number: flags have whole numbers, and
	// clients that wait for their answers have any rate.
	whole = 0.02
	// minBurst is a number of saved tokens, and minOverlap a share of requests that arrive before
	// the previous answer. A client without a limit, which polls or waits for its answers, has less
	// of both.
	minBurst   = 3
	minOverlap = 0.2
)

// longestPace returns the longest stretch; false if there is none.
func longestPace(arrivals []arrival) (longest pace, found bool) {
	for i := 0; i+minPace <= len(arrivals); {
		p, end := paceFrom(arrivals, i)
		if p.requests == 0 {
			i++
			continue
		}
		if p.requests > longest.requests {
			longest, found = p, true
		}
		i = end
	}
	return longest, found
}

// paceFrom returns the stretch that begins with an arrival, and its end; one without
// requests if there is none.
func paceFrom(arrivals []arrival, first int) (pace, int) {
	start := arrivals[first].at
	period := medianGap(arrivals[first : first+seedGaps+1])
	if period < time.Millisecond.Seconds() {
		return pace{}, 0
	}
	last, places, overlaps := first, 0.0, 0
	for k := first + 1; k < len(arrivals); k++ {
		steps := math.Round(arrivals[k].at.Sub(arrivals[last].at).Seconds() / period)
		off := arrivals[k].at.Sub(start).Seconds()/period - places - steps
		if steps < 1 || steps > missing+1 || math.Abs(off) > jitter {
			break
		}
		if arrivals[k].at.Before(arrivals[k-1].end) {
			overlaps++
		}
		last, places = k, places+steps
		if places >= seedGaps {
			period = arrivals[last].at.Sub(start).Seconds() / places
		}
	}
	p := pace{
		from: start, to: arrivals[last].at, requests: last - first + 1,
		perSecond: 1 / period, burst: burstBefore(arrivals[:first+1], period),
	}
	nearest := math.Round(p.perSecond)
	switch {
	case p.requests < minPace || p.to.Sub(p.from) < minPaceSpan,
		float64(p.requests-1) < present*places,
		nearest < 1 || math.Abs(p.perSecond-nearest) > whole*nearest,
		p.burst < minBurst && float64(overlaps) < minOverlap*float64(p.requests):
		return pace{}, 0
	}
	p.perSecond = nearest
	return p, last + 1
}

// medianGap is in seconds.
func medianGap(arrivals []arrival) float64 {
	gaps := make([]float64, 0, seedGaps)
	for k := 1; k < len(arrivals); k++ {
		gaps = append(gaps, arrivals[k].at.Sub(arrivals[k-1].at).Seconds())
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// burstBefore returns how many tokens were saved: the most arrivals beyond the rate, before the
// last one.
func burstBefore(arrivals []arrival, period float64) int {
	const reach = time.Minute
	last := len(arrivals) - 1
	saved := 0.0
	for k := last - 1; k >= 0; k-- {
		since := arrivals[last].at.Sub(arrivals[k].at)
		if since > reach {
			break
		}
		saved = max(saved, float64(last-k)-since.Seconds()/period)
	}
	if saved < minBurst-1 {
		return 0
	}
	return int(math.Round(saved)) + 1
}
