package trace

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// Writer writes a trace, one request at a time. It is not safe for concurrent use.
type Writer struct {
	out     *bufio.Writer
	encoder *json.Encoder
	order   order
	left    int64 // requests that the header promises and that are not written
	counted bool
	written int64
}

// NewWriter writes the header of a trace and returns a writer of its requests. Call
// Finish after the last one.
func NewWriter(out io.Writer, header Header) (*Writer, error) {
	header.Kind, header.APIVersion = Kind, APIVersion
	if err := header.validate(); err != nil {
		return nil, fmt.Errorf("the header %w", err)
	}
	buffered := bufio.NewWriterSize(out, bufferSize)
	w := &Writer{out: buffered, encoder: json.NewEncoder(buffered), left: header.Requests, counted: header.Requests > 0}
	w.encoder.SetEscapeHTML(false)
	return w, w.encoder.Encode(header)
}

// Write writes the next request. It returns an error if a reader would reject it.
func (w *Writer) Write(r *Request) error {
	if err := errors.Join(r.validate(), w.order.next(r.Arrival)); err != nil {
		return fmt.Errorf("request %d %w", w.written+1, err)
	}
	w.written++
	w.left--
	return w.encoder.Encode(r)
}

// Finish writes what is buffered. It returns an error if the trace has no requests, or
// not as many as its header says.
func (w *Writer) Finish() error {
	switch {
	case w.written == 0:
		return errors.New("the trace has no requests")
	case w.counted && w.left != 0:
		return fmt.Errorf("the trace has %d requests, its header says %d", w.written, w.written+w.left)
	default:
		return w.out.Flush()
	}
}

// NewFile is a trace that is written to a file.
type NewFile struct {
	*Writer
	file   *os.File
	packed io.WriteCloser
	done   bool
}

// Create creates a trace in a file that does not exist, compressed as the ending of its name says: .gz for
// gzip, .zst or .zstd for zstd, any other for none. Call Commit or Abort.
func Create(name string, header Header) (*NewFile, error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // others may read it, as what redirection writes
	if err != nil {
		return nil, err
	}
	f := &NewFile{file: file}
	if f.packed, err = compress(file, name); err == nil {
		f.Writer, err = NewWriter(f.packed, header)
	}
	if err != nil {
		f.Abort()
		return nil, err
	}
	return f, nil
}

// Abort removes what was written. After Commit it does nothing.
func (f *NewFile) Abort() {
	if !f.done {
		f.done = true
		_ = f.file.Close()
		_ = os.Remove(f.file.Name())
	}
}

// Commit completes the trace. After an error nothing of it is left.
func (f *NewFile) Commit() error {
	defer f.Abort()
	if err := errors.Join(f.Finish(), f.packed.Close(), f.file.Sync(), f.file.Close()); err != nil {
		return fmt.Errorf("%s: %w", f.file.Name(), err)
	}
	f.done = true
	return nil
}

// compress returns a writer that compresses as the ending of a file name says: .gz, .zst,
// or not at all.
func compress(out io.Writer, name string) (io.WriteCloser, error) {
	switch filepath.Ext(name) {
	case ".gz":
		return gzip.NewWriter(out), nil
	case ".zst", ".zstd":
		return zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	default:
		return nopCloser{out}, nil
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
