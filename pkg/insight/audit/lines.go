package audit

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/trace"
)

const (
	// maxLine is the largest number of bytes of a line.
	maxLine    = 16 << 20
	bufferSize = 64 << 10
)

// Line is a line of a log that is not empty.
type Line struct {
	// Number counts all lines from 1.
	Number int
	// Text is the line without the white space around it, valid until the next line.
	Text []byte
	// TooLong reports that the line is longer than 16 MiB; Text is a part of it.
	TooLong bool
}

// ReadLines calls yield with each line of a log, which may be compressed with gzip or
// zstd, until that returns an error. truncated is why the log ends before its end, such as within
// compressed data. err is the error of yield, or of an input of which nothing can be
// read.
func ReadLines(in io.Reader, yield func(Line) error) (truncated, err error) {
	decompressed, err := trace.Decompress(in)
	if err != nil {
		return nil, err
	}
	defer decompressed.Close() //nolint:errcheck // releases memory
	plain := bufio.NewReaderSize(decompressed, bufferSize)
	var l Line
	for {
		err := l.read(plain)
		if len(l.Text) > 0 {
			if err := yield(l); err != nil {
				return nil, err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil, nil
		case err != nil && l.Number == 1 && len(l.Text) == 0:
			return nil, err
		case err != nil:
			return err, nil
		}
	}
}

// read reads the next line, at most maxLine bytes of it.
func (l *Line) read(in *bufio.Reader) error {
	l.Text, l.TooLong = l.Text[:0], false
	l.Number++
	for {
		part, err := in.ReadSlice('\n')
		if len(l.Text)+len(part) <= maxLine {
			l.Text = append(l.Text, part...)
		} else {
			l.TooLong = true
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			l.Text = bytes.TrimSpace(l.Text)
			return err
		}
	}
}
