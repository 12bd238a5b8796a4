package logs

import (
	"fmt"
)

// Summary says what a log had.
type Summary struct {
	// Name is the name of the log.
	Name string `json:"name"`
	// Lines is the number of entries: lines that are not empty, or objects of JSON. Requests is the
	// number of requests that were passed on.
	Lines    int `json:"lines"`
	Requests int `json:"requests"`
	// Skipped is the number of entries that cannot be read, or that are too long.
	Skipped int `json:"skipped,omitempty"`
	// FirstSkipped is the line of the first of them, from 1 on; WhySkipped says what
	// is wrong with it.
	FirstSkipped int    `json:"firstSkipped,omitempty"`
	WhySkipped   string `json:"whySkipped,omitempty"`
	// Truncated says why the log ends before its end, such as within compressed data.
	Truncated string `json:"truncated,omitempty"`
}

// skip counts a line that is skipped; why says what is wrong with it.
func (s *Summary) skip(line int, why string) {
	if s.Skipped++; s.Skipped == 1 {
		s.FirstSkipped, s.WhySkipped = line, why
	}
}

// end says why the log ends, nil if that is its end, and returns the error none if it had no
// request.
func (s *Summary) end(truncated, none error) error {
	if truncated != nil {
		s.Truncated = truncated.Error()
	}
	switch {
	case s.Requests > 0:
		return nil
	case s.Skipped > 0:
		return fmt.Errorf("%s: %w; line %d %s", s.Name, none, s.FirstSkipped, s.WhySkipped)
	default:
		return fmt.Errorf("%s: %w", s.Name, none)
	}
}

// Notes returns a sentence for each thing that is wrong with the log.
func (s Summary) Notes() []string {
	var notes []string
	if s.Skipped > 0 {
		notes = append(notes, fmt.Sprintf("%s: %d of %d lines are skipped; line %d %s.", s.Name, s.Skipped, s.Lines, s.FirstSkipped, s.WhySkipped))
	}
	if s.Truncated != "" {
		notes = append(notes, fmt.Sprintf("%s: the log is truncated after line %d: %s.", s.Name, s.Lines, s.Truncated))
	}
	return notes
}
