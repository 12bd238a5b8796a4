package httplog

import (
	"errors"
	"fmt"
	"io"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/audit"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/logs"
)

// ErrNoRequests means that a log has no line about a request.
var ErrNoRequests = errors.New(`no line with the message "HTTP": must be a log of an API server with -v=3 or more`)

// Read calls yield with each request of a log, which may be compressed with gzip or zstd,
// until that returns an error. Other lines are ignored; lines about requests that cannot
// be read are skipped and counted. It returns ErrNoRequests if there is none.
func Read(name string, in io.Reader, clock Clock, yield func(*Line) error) (audit.Summary, error) {
	s := audit.Summary{Name: name}
	d := newDecoder(clock)
	truncated, err := logs.Read(in, func(entry logs.Entry) error {
		s.Lines++
		if entry.TooLong || entry.Kind != logs.Request {
			return nil
		}
		line, err := d.decode(string(entry.Text), entry.Written)
		switch {
		case err != nil:
			s.Skip(entry.Number, err.Error())
		case line != nil:
			s.Requests++
			return yield(line)
		}
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	err = s.End(truncated, ErrNoRequests)
	return s, err
}
