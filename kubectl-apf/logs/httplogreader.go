package logs

import (
	"errors"
	"fmt"
	"io"
)

// ErrNoRequests means that a log has no line about a request.
var ErrNoRequests = errors.New(`no line with the message "HTTP": must be a log of an API server with -v=3 or more`)

// ReadRequestLines calls yield with each request of a log, which may be compressed with gzip or zstd,
// until that returns an error. Other lines are ignored; lines about requests that cannot
// be read are skipped and counted. It returns ErrNoRequests if there is none.
func ReadRequestLines(name string, in io.Reader, clock Clock, yield func(*RequestLine) error) (Summary, error) {
	s := Summary{Name: name}
	d := newLineDecoder(clock)
	truncated, err := ReadEntries(in, func(entry Entry) error {
		s.Lines++
		if entry.TooLong || entry.Kind != KindRequest {
			return nil
		}
		line, err := d.decode(string(entry.Text), entry.Written)
		switch {
		case err != nil:
			s.skip(entry.Number, err.Error())
		case line != nil:
			s.Requests++
			return yield(line)
		}
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	err = s.end(truncated, ErrNoRequests)
	return s, err
}
