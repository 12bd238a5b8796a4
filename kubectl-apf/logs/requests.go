package logs

import (
	"errors"
	"fmt"
	"io"
)

// ErrNoEvents and ErrNoRequests mean that a log has no completed request.
var (
	ErrNoEvents   = errors.New("no event of the stage ResponseComplete or Panic: must be audit.k8s.io/v1 Events, as JSON, of a policy that does not omit these stages")
	ErrNoRequests = errors.New(`no line with the message "HTTP": must be a log of an API server with -v=3 or more`)
)

// ReadEvents calls yield with each request of an audit log, until that returns an error. Entries
// that are no events are skipped and counted, except for lines of klog: an API server may
// write both to its standard output. It returns ErrNoEvents if there is no request, and
// otherwise the error of yield, or of an input that cannot be read at all.
func ReadEvents(name string, in io.Reader, yield func(*Request) error) (Summary, error) {
	return readRequests(name, in, ErrNoEvents, yield, func(s *Summary, entry Entry) (*Request, error) {
		switch {
		case entry.TooLong:
			s.skip(entry.Number, fmt.Sprintf("is longer than %d MiB", MaxEntry>>20))
			return nil, nil
		case entry.Kind == KindRequest || entry.Kind == KindLine:
			return nil, nil
		default:
			return requestOfEvent(entry.Text)
		}
	})
}

// ReadRequestLines is ReadEvents for lines of httplog. Other lines are ignored. It returns
// ErrNoRequests if there is no request.
func ReadRequestLines(name string, in io.Reader, clock Clock, yield func(*Request) error) (Summary, error) {
	return readRequests(name, in, ErrNoRequests, yield, func(_ *Summary, entry Entry) (*Request, error) {
		if entry.TooLong || entry.Kind != KindRequest {
			return nil, nil
		}
		return requestOfLine(string(entry.Text), entry.Written, clock)
	})
}

// readRequests passes the requests on that decode finds in the entries of a log.
func readRequests(name string, in io.Reader, none error, yield func(*Request) error, decode func(*Summary, Entry) (*Request, error)) (Summary, error) {
	s := Summary{Name: name}
	truncated, err := ReadEntries(in, func(entry Entry) error {
		s.Lines++
		request, err := decode(&s, entry)
		switch {
		case err != nil:
			s.skip(entry.Number, err.Error())
		case request != nil:
			s.Requests++
			return yield(request)
		}
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	return s, s.end(truncated, none)
}
