package logs

import (
	"errors"
	"fmt"
	"io"
)

// ErrNoEvents means that a log has no completed request.
var ErrNoEvents = errors.New("no event of the stage ResponseComplete or Panic: must be audit.k8s.io/v1 Events, as JSON, of a policy that does not omit these stages")

// ReadEvents calls yield with each request of the log, until that returns an error. Entries
// that are no events are skipped and counted, except for lines of klog: an API server may
// write both to its standard output. It returns ErrNoEvents if there is no request, and
// otherwise the error of yield, or of an input that cannot be read at all.
func ReadEvents(name string, in io.Reader, yield func(*Event) error) (Summary, error) {
	s := Summary{Name: name}
	decoder := newEventDecoder()
	truncated, err := ReadEntries(in, func(entry Entry) error {
		s.Lines++
		switch {
		case entry.TooLong:
			s.skip(entry.Number, fmt.Sprintf("is longer than %d MiB", MaxEntry>>20))
			return nil
		case entry.Kind == KindRequest || entry.Kind == KindLine:
			return nil
		}
		event, err := decoder.decode(entry.Text)
		switch {
		case err != nil:
			s.skip(entry.Number, err.Error())
		case event != nil:
			s.Requests++
			return yield(event)
		}
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	err = s.end(truncated, ErrNoEvents)
	return s, err
}
