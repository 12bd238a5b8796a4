package audit

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// maxLine is the largest number of bytes of a line.
const maxLine = 16 << 20

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
	plain, err := decompress(in)
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	r := reader{summary: &s, in: plain, decoder: newDecoder(), yield: yield}
	if err := r.readAll(); err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	switch {
	case s.Requests > 0:
		return s, nil
	case s.Skipped > 0:
		return s, fmt.Errorf("%s: %w; line %d %s", name, ErrNoEvents, s.FirstSkipped, s.WhySkipped)
	default:
		return s, fmt.Errorf("%s: %w", name, ErrNoEvents)
	}
}

// decompress returns the lines of a log, which may be compressed.
func decompress(in io.Reader) (*bufio.Reader, error) {
	const size = 64 << 10
	buffered := bufio.NewReaderSize(in, size)
	if magic, _ := buffered.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return buffered, nil
	}
	unzipped, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(unzipped, size), nil
}

// reader reads one log.
type reader struct {
	summary *Summary
	in      *bufio.Reader
	decoder *decoder
	yield   func(*Event) error
	number  int    // of the line
	line    []byte // reused
	tooLong bool
}

func (r *reader) readAll() error {
	for {
		err := r.readLine()
		if len(r.line) > 0 {
			if err := r.pass(); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return r.truncate(err)
		}
	}
}

// truncate ends a log that cannot be read any further. It returns the error if nothing
// could be read.
func (r *reader) truncate(err error) error {
	if r.number == 1 && len(r.line) == 0 {
		return err
	}
	r.summary.Truncated = err.Error()
	return nil
}

// readLine reads the next line, at most maxLine bytes of it.
func (r *reader) readLine() error {
	r.line, r.tooLong = r.line[:0], false
	r.number++
	for {
		part, err := r.in.ReadSlice('\n')
		if len(r.line)+len(part) <= maxLine {
			r.line = append(r.line, part...)
		} else {
			r.tooLong = true
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			r.line = bytes.TrimSpace(r.line)
			return err
		}
	}
}

// pass passes the line on.
func (r *reader) pass() error {
	r.summary.Lines++
	if r.tooLong {
		r.skip(fmt.Sprintf("is longer than %d MiB", maxLine>>20))
		return nil
	}
	event, err := r.decoder.decode(r.line)
	switch {
	case err != nil:
		r.skip(err.Error())
	case event != nil:
		r.summary.Requests++
		return r.yield(event)
	}
	return nil
}

func (r *reader) skip(why string) {
	if r.summary.Skipped++; r.summary.Skipped == 1 {
		r.summary.FirstSkipped, r.summary.WhySkipped = r.number, why
	}
}
