package logs

import (
	"bufio"
	"bytes"
	"io"
	"strings"
)

const (
	// MaxEntry is the largest number of bytes of an entry.
	MaxEntry   = 16 << 20
	bufferSize = 64 << 10
)

// scanner divides a log into JSON objects, of one line or several, and lines of text. It
// drops empty lines, and the brackets and commas of arrays around objects.
type scanner struct {
	in      *bufio.Reader
	number  int  // of the current line, from 1 on
	inArray bool // an array began
	err     error

	// Of the chunk that next read:
	line    int
	text    []byte
	object  bool
	tooLong bool
}

func newScanner(in io.Reader) *scanner {
	return &scanner{in: bufio.NewReaderSize(in, bufferSize), number: 1}
}

// next reads a chunk. After the last one it returns the error of the input, such as io.EOF.
func (s *scanner) next() error {
	s.text, s.object, s.tooLong = s.text[:0], false, false
	for {
		if s.err != nil {
			return s.err
		}
		c, err := s.in.ReadByte()
		switch s.err = err; {
		case err != nil:
		case c == '\n':
			s.number++
		case c == ' ' || c == '\t' || c == '\r' || c == '[' && s.opensArray() || s.inArray && (c == ',' || c == ']'):
		case c == '{':
			s.line, s.object = s.number, true
			s.readObject()
			return nil
		default:
			s.line = s.number
			s.add([]byte{c})
			s.readLine()
			return nil
		}
	}
}

// opensArray reports whether the bracket that was read opens an array of objects. A
// prefix of kubectl logs begins with a bracket too.
func (s *scanner) opensArray() bool {
	ahead, _ := s.in.Peek(64)
	first := bytes.TrimLeft(ahead, " \t\r\n")
	opens := len(first) > 0 && (first[0] == '{' || first[0] == '[')
	s.inArray = s.inArray || opens
	return opens
}

func (s *scanner) add(part []byte) {
	if len(s.text)+len(part) <= MaxEntry {
		s.text = append(s.text, part...)
	} else {
		s.tooLong = true
	}
}

// readLine reads the rest of a line.
func (s *scanner) readLine() {
	for {
		part, err := s.in.ReadSlice('\n')
		s.add(part)
		if err != bufio.ErrBufferFull { //nolint:errorlint // returned as it is
			if s.err = err; err == nil {
				s.number++
			}
			s.text = bytes.TrimRight(s.text, "\r\n") // a part of an entry may end with a space
			return
		}
	}
}

// readObject reads the rest of an object. One that is cut off ends at the end of its line:
// a string has no line break, and what follows is no part of an object.
func (s *scanner) readObject() {
	s.add([]byte{'{'})
	b := balance{depth: 1}
	for b.depth > 0 {
		if _, s.err = s.in.Peek(1); s.err != nil {
			return
		}
		buffered, _ := s.in.Peek(s.in.Buffered())
		n := b.scan(buffered)
		s.add(buffered[:n])
		_, _ = s.in.Discard(n)
		if b.newline {
			s.number++
			if b.inString || !s.continues() {
				s.text = bytes.TrimRight(s.text, "\r\n")
				return
			}
		}
	}
}

// balance follows the braces and brackets of JSON.
type balance struct {
	depth             int
	inString, escaped bool
	newline           bool // scan ended after a line break
}

// scan returns the number of bytes up to the end of the value, or of the line, or of all.
func (b *balance) scan(text []byte) int {
	b.newline = false
	for i, c := range text {
		if ordinary[c] && !b.escaped {
			continue
		}
		switch {
		case c == '\n':
			b.newline = true
			return i + 1
		case b.escaped:
			b.escaped = false
		case b.inString:
			b.escaped, b.inString = c == '\\', c != '"'
			if !b.inString && b.depth == 0 {
				return i + 1
			}
		case c == '"':
			b.inString = true
		case c == '{' || c == '[':
			b.depth++
		case c == '}' || c == ']':
			if b.depth--; b.depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// ordinary are the bytes that balance passes over, which are nearly all.
var ordinary = func() (is [256]bool) { //nolint:gochecknoglobals // constant
	for c := range is {
		is[c] = strings.IndexByte("\n\\\"{}[]", byte(c)) < 0
	}
	return is
}()

// continues reports whether the next line may belong to an object that is indented.
func (s *scanner) continues() bool {
	ahead, err := s.in.Peek(1)
	return err != nil || strings.IndexByte(" \t\r\n\"}],", ahead[0]) >= 0
}
