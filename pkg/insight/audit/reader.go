package audit

import (
	"errors"
	"fmt"
	"io"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/logs"
)

// Summary says what a log had.
type Summary struct {
	// Name is that of the log.
	Name string `json:"name"`
	// Lines is the number of entries: lines that are not empty, or objects of JSON.
	// Requests is the number of those that were passed on.
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
var ErrNoEvents = errors.New("no event of the stage ResponseComplete or Panic: must be audit.k8s.io/v1 Events, as JSON, of a policy that does not omit these stages")

// Read calls yield with each request of the log, until that returns an error. Entries
// that are no events are skipped and counted, except for lines of klog: an API server may
// write both to its standard output. It returns ErrNoEvents if there is no request, and
// otherwise the error of yield, or of an input that cannot be read at all.
func Read(name string, in io.Reader, yield func(*Event) error) (Summary, error) {
	s := Summary{Name: name}
	decoder := newDecoder()
	truncated, err := logs.Read(in, func(entry logs.Entry) error {
		s.Lines++
		switch {
		case entry.TooLong:
			s.Skip(entry.Number, fmt.Sprintf("is longer than %d MiB", logs.MaxEntry>>20))
			return nil
		case entry.Kind == logs.Request || entry.Kind == logs.Line:
			return nil
		}
		event, err := decoder.decode(entry.Text)
		switch {
		case err != nil:
			s.Skip(entry.Number, err.Error())
		case event != nil:
			s.Requests++
			return yield(event)
		}
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	err = s.End(truncated, ErrNoEvents)
	return s, err
}
