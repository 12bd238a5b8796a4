package logs

import (
	"errors"
	"io"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/plain"
)

// Kind says what an entry is.
type Kind uint8

// The kinds.
const (
	// KindOther is an entry that is none of the others.
	KindOther Kind = iota
	// KindEvent is the JSON of an audit event, possibly cut off.
	KindEvent
	// KindRequest is a line of httplog about a request, possibly cut off: JSON or text.
	KindRequest
	// KindLine is another line of klog, or one that belongs to the transport alone.
	KindLine
)

// Entry is an entry of a log, without its transport.
type Entry struct {
	// Number is the number of the first line of the entry, from 1 on.
	Number int
	Kind   Kind
	// Text is the entry, valid until the next one.
	Text []byte
	transport
	// TooLong reports that the entry is longer than MaxEntry; Text is a part of it.
	TooLong bool
}

// transport is what the carrier of an entry tells of it.
type transport struct {
	// Written is the time that the transport has; zero if it has none.
	Written time.Time
	// Server names the API server: its pod, node or stream; "" if the transport does not tell.
	Server string
}

// ReadEntries calls yield with each entry of a log, in any form that package plain knows,
// until that returns an error. truncated is why the log ends before its end, such as within
// compressed data. err is the error of yield, or of an unreadable input.
func ReadEntries(in io.Reader, yield func(Entry) error) (truncated, err error) {
	decompressed, err := plain.Text(in)
	if err != nil {
		return nil, err
	}
	defer decompressed.Close() //nolint:errcheck // releases memory
	s := newScanner(decompressed)
	r := reader{yield: yield, parts: map[string][]byte{}}
	chunks := 0
	for {
		err := s.next()
		if err != nil {
			if flushed := r.flush(); flushed != nil {
				return nil, flushed
			}
			switch {
			case errors.Is(err, io.EOF):
				return nil, nil
			case chunks == 0:
				return nil, err
			default:
				return err, nil
			}
		}
		chunks++
		if err := r.chunk(s); err != nil {
			return nil, err
		}
	}
}

// reader finds entries in the chunks of one log.
type reader struct {
	yield func(Entry) error
	err   error // of yield

	number  int
	found   bool      // the chunk has an entry, or a part of one
	journal transport // of journald's export, for the message that follows
	parts   map[string][]byte
	partial int      // bytes of all parts
	columns []string // of a CSV export of a table of events; nil if it is none
}

// chunk yields what a chunk has.
func (r *reader) chunk(s *scanner) error {
	r.number, r.found = s.line, false
	kind := KindOther
	switch {
	case s.tooLong:
		r.found = true
		r.emit(Entry{Text: s.text, TooLong: true})
	case s.object:
		kind = r.object(s.text, transport{}, 0)
	default:
		kind = r.line(s.text)
	}
	if !r.found {
		r.emit(Entry{Kind: kind, Text: s.text})
	}
	return r.err
}

func (r *reader) emit(e Entry) {
	if r.err == nil {
		e.Number = r.number
		r.err = r.yield(e)
	}
}

// entry yields an entry.
func (r *reader) entry(kind Kind, text []byte, by transport) Kind {
	r.found = true
	r.emit(Entry{Kind: kind, Text: text, transport: by})
	return kind
}
