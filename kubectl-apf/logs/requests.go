package logs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
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
	const other = "it has lines of -v=3: kubectl apf record and lint read these with --http-log"
	return readEntries(name, in, ErrNoEvents, KindRequest, other, yield, func(s *Summary, entry Entry) (*Request, error) {
		switch {
		case entry.TooLong:
			s.skip(entry.Number, fmt.Sprintf("is longer than %d MiB", MaxEntry>>20))
			return nil, nil
		case entry.Kind == KindRequest || entry.Kind == KindLine:
			return nil, nil
		default:
			return entry.named(requestOfEvent(entry.Text))
		}
	})
}

// ReadAuditEvents calls yield with each event of an audit log, of any stage, with its objects. Other entries are
// treated as by ReadEvents.
func ReadAuditEvents(name string, in io.Reader, yield func(*auditv1.Event)) (Summary, error) {
	none := errors.New("no event: must be audit.k8s.io/v1 Events, as JSON")
	pass := func(event *auditv1.Event) error { yield(event); return nil }
	return readEntries(name, in, none, KindOther, "", pass, func(_ *Summary, entry Entry) (*auditv1.Event, error) {
		if entry.Kind == KindRequest || entry.Kind == KindLine {
			return nil, nil
		}
		event := &auditv1.Event{}
		if err := json.Unmarshal(entry.Text, event); err != nil || event.Kind != "Event" {
			return nil, errors.New("is not an audit.k8s.io/v1 Event")
		}
		return event, nil
	})
}

// ReadRequestLines is ReadEvents for lines of httplog. Other lines are ignored. It returns
// ErrNoRequests if there is no request.
func ReadRequestLines(name string, in io.Reader, clock Clock, yield func(*Request) error) (Summary, error) {
	const other = "it has audit events: --audit-log reads these"
	return readEntries(name, in, ErrNoRequests, KindEvent, other, yield, func(_ *Summary, entry Entry) (*Request, error) {
		if entry.TooLong || entry.Kind != KindRequest {
			return nil, nil
		}
		return entry.named(requestOfLine(string(entry.Text), entry.Written, clock))
	})
}

// readEntries passes on what decode finds in the entries of a log. The error none says why there is nothing, and
// hint what is there instead if there are entries of another kind.
func readEntries[T any](name string, in io.Reader, none error, other Kind, hint string, yield func(*T) error, decode func(*Summary, Entry) (*T, error)) (Summary, error) {
	s, hasOther := Summary{Name: name}, false
	truncated, err := ReadEntries(in, func(entry Entry) error {
		s.Lines++
		hasOther = hasOther || hint != "" && entry.Kind == other
		found, err := decode(&s, entry)
		switch {
		case err != nil:
			s.skip(entry.Number, err.Error())
		case found != nil:
			s.Requests++
			return yield(found)
		}
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	if hasOther {
		none = fmt.Errorf("%w; %s", none, hint)
	}
	return s, s.end(truncated, none)
}
