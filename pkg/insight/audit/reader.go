package audit

import (
	"errors"
	"fmt"
	"io"
)

// Summary says what a log had.
type Summary struct {
	// Name is that of the log.
	Name string `json:"name"`
	// Lines is the number of lines that are not empty, Requests of those that were
	// passed on.
	Lines    int `json:"lines"`
	Requests int `json:"requests"`
	// Skipped is the number of lines that are no events, or that are too long.
	Skipped int `json:"skipped,omitempty"`
	// FirstSkipped is the number of the first of them, from 1 on; WhySkipped says what
	// is wrong with it.
	FirstSkipped int    `json:"firstSkipped,omitempty"`
	WhySkipped   string `json:"whySkipped,omitempty"`
	// Truncated says why the log ends before its end, such as within compressed data.
	Truncated string `json:"truncated,omitempty"`
}

// Skip counts a line that is skipped; why says what is wrong with it.
func (s *Summary) Skip(line int, why string) {
	if s.Skipped++; s.Skipped == 1 {
		s.FirstSkipped, s.WhySkipped = line, why
	}
}

// End says why the log ends, nil if that is its end, and returns the error none if it had no
// request.
func (s *Summary) End(truncated, none error) error {
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

// ErrNoEvents means that a log has no completed request.
var ErrNoEvents = errors.New("no event of the stage ResponseComplete or Panic: must be lines of JSON, audit.k8s.io/v1 Events, of a policy that does not omit these stages")

// Read calls yield with each request of the log, until that returns an error. Lines
// that are no events are skipped and counted. It returns ErrNoEvents if there is no
// request, and otherwise the error of yield, or of an input that cannot be read at all.
func Read(name string, in io.Reader, yield func(*Event) error) (Summary, error) {
	s := Summary{Name: name}
	r := reader{summary: &s, decoder: newDecoder(), yield: yield}
	truncated, err := ReadLines(in, r.pass)
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	err = s.End(truncated, ErrNoEvents)
	return s, err
}

// reader reads one log.
type reader struct {
	summary *Summary
	decoder *decoder
	yield   func(*Event) error
}

// pass passes the event of a line on.
func (r *reader) pass(l Line) error {
	r.summary.Lines++
	if l.TooLong {
		r.summary.Skip(l.Number, fmt.Sprintf("is longer than %d MiB", maxLine>>20))
		return nil
	}
	event, err := r.decoder.decode(l.Text)
	switch {
	case err != nil:
		r.summary.Skip(l.Number, err.Error())
	case event != nil:
		r.summary.Requests++
		return r.yield(event)
	}
	return nil
}
