package record

import (
	"fmt"
	"slices"
	"time"
)

// silence is the time without a request that a trace says to have.
const silence = time.Hour

// namedSilences is how many are named.
const namedSilences = 5

// silences are the long times without a request.
type silences struct {
	named  []string
	others int
}

func (s *silences) add(from, to time.Time) {
	if len(s.named) == namedSilences {
		s.others++
		return
	}
	s.named = append(s.named, fmt.Sprintf("No request arrived from %s to %s, for %s: the servers were idle or down, or a part of the logs is missing.",
		from.Format(time.RFC3339), to.Format(time.RFC3339), to.Sub(from).Round(time.Minute)))
}

// notes returns a sentence for each.
func (s *silences) notes() []string {
	if s.others == 0 {
		return s.named
	}
	return append(slices.Clip(s.named), fmt.Sprintf("No request arrived for more than an hour %d more times.", s.others))
}
