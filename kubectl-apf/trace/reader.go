package trace

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/plain"
)

const (
	// maxLine is the largest number of bytes of a line.
	maxLine    = 1 << 20
	bufferSize = 64 << 10
)

// LineError is what is wrong with a line of a trace.
type LineError struct {
	// Name is the trace's.
	Name string
	// Line is the number of the line, from 1 on.
	Line int64
	// Err says what is wrong with it.
	Err error
}

// Error implements error.
func (e *LineError) Error() string { return fmt.Sprintf("%s: line %d %v", e.Name, e.Line, e.Err) }

// Unwrap returns what is wrong with the line.
func (e *LineError) Unwrap() error { return e.Err }

// Reader reads a trace, one request at a time. It is not safe for concurrent use.
type Reader struct {
	name   string
	plain  io.ReadCloser
	lines  *bufio.Reader
	line   int64
	long   []byte
	header Header
	order  order
	scan   scanner
	err    error
}

// NewReader returns a reader of the requests of a trace after it has read the header. name is the
// trace's, for errors.
func NewReader(name string, in io.Reader) (*Reader, error) {
	text, err := plain.Text(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r := &Reader{name: name, plain: text, lines: bufio.NewReaderSize(text, bufferSize), scan: newScanner()}
	if err := r.readHeader(); err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// File is a trace in a file.
type File struct {
	*Reader
	file *os.File
}

// Open opens a trace in a file. Reads end when the context does.
func Open(ctx context.Context, name string) (*File, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(name, plain.Until(ctx, file))
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return &File{r, file}, nil
}

// Close closes the file.
func (f *File) Close() error { return errors.Join(f.Reader.Close(), f.file.Close()) }

// Header returns the header.
func (r *Reader) Header() Header { return r.header }

// Line returns the number of the line that was read last, from 1 on.
func (r *Reader) Line() int64 { return r.line }

// Close releases the memory of the reader. It does not close the input.
func (r *Reader) Close() error { return r.plain.Close() }

// Read reads the next request into a Request whose fields it replaces. It returns io.EOF
// after the last one, and a *LineError if a line is invalid; then it returns the same
// error again. Requests may share their Groups, which must not be changed.
func (r *Reader) Read(into *Request) error {
	if r.err == nil {
		r.err = r.read(into)
	}
	return r.err
}

func (r *Reader) read(into *Request) error {
	text, err := r.next()
	if errors.Is(err, io.EOF) {
		return r.end()
	}
	if err != nil {
		return err
	}
	*into = Request{}
	if !r.scan.request(text, into) {
		*into = Request{}
		if err := decode(text, into); err != nil {
			return r.wrong(err)
		}
	}
	if err := into.validate(); err != nil {
		return r.wrong(err)
	}
	if err := r.order.next(into.Arrival); err != nil {
		return r.wrong(err)
	}
	return nil
}

// end returns io.EOF if the trace is complete.
func (r *Reader) end() error {
	got := r.line - 1
	switch want := r.header.Requests; {
	case got == 0:
		return fmt.Errorf("%s: the trace is empty: it has a header and no requests", r.name)
	case want > 0 && got != want:
		return fmt.Errorf("%s: the trace is cut off after line %d: it has %d requests, line 1 says %d", r.name, r.line, got, want)
	default:
		return io.EOF
	}
}

func (r *Reader) readHeader() error {
	text, err := r.next()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: the trace is empty: it has no header", r.name)
	}
	if err != nil {
		return err
	}
	// The kind and version come first: another version may have other fields.
	if err := json.Unmarshal(text, &r.header); err != nil {
		return r.wrong(fmt.Errorf("is not a header of a trace: %w", err))
	}
	if err := r.header.validate(); err != nil {
		return r.wrong(err)
	}
	r.header = Header{}
	if err := decode(text, &r.header); err != nil {
		return r.wrong(err)
	}
	return nil
}

func (r *Reader) wrong(err error) error { return &LineError{r.name, r.line, err} }

// next returns the next line, valid until the next call; io.EOF after the last one.
func (r *Reader) next() ([]byte, error) {
	text, err := r.lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		r.long = r.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) && len(r.long) < maxLine {
			r.long = append(r.long, text...)
			text, err = r.lines.ReadSlice('\n')
		}
		text = append(r.long, text...)
	}
	if len(text) == 0 && errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	r.line++
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, r.wrong(fmt.Errorf("is longer than %d bytes", maxLine))
	case errors.Is(err, io.EOF):
		return nil, r.wrong(errors.New("is cut off: it has no line break"))
	case err != nil:
		return nil, r.wrong(fmt.Errorf("is cut off: %w", err))
	}
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return nil, r.wrong(errors.New("is empty"))
	}
	return text, nil
}

// decode decodes a line, whose fields must all be known.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("is invalid: %w", err)
	}
	if d.InputOffset() != int64(len(text)) {
		return fmt.Errorf("has %q after its object", text[d.InputOffset():])
	}
	return nil
}
