package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bodyStream is an open watch, the body of a response.
type bodyStream struct {
	response *http.Response
	reader   *bufio.Reader
	cancel   context.CancelFunc
}

func newBodyStream(response *http.Response, cancel context.CancelFunc) *bodyStream {
	return &bodyStream{response: response, reader: bufio.NewReader(response.Body), cancel: cancel}
}

func (s *bodyStream) contentType() string { return s.response.Header.Get("Content-Type") }

func (s *bodyStream) close() {
	s.cancel()
	_ = s.response.Body.Close()
}

// next returns the next event with its framing, and io.EOF after the last.
func (s *bodyStream) next() ([]byte, error) {
	if !strings.HasPrefix(s.contentType(), "application/vnd.kubernetes.protobuf") {
		line, err := s.reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) > 0 {
			err = io.ErrUnexpectedEOF
		}
		return line, err
	}
	length := make([]byte, 4)
	if _, err := io.ReadFull(s.reader, length); err != nil {
		return nil, err
	}
	frame := make([]byte, 4+binary.BigEndian.Uint32(length))
	copy(frame, length)
	_, err := io.ReadFull(s.reader, frame[4:])
	return frame, err
}

// take reads count events. It drops repeated bookmarks, whose
// number depends on the time.
func take(from *bodyStream, count int) ([]byte, error) {
	var taken, last []byte
	for count != 0 {
		event, err := from.next()
		if err != nil {
			return taken, err
		}
		if bytes.Contains(event, []byte("BOOKMARK")) && bytes.Equal(event, last) {
			continue
		}
		taken, last = append(taken, event...), event
		count--
	}
	return taken, nil
}

// listen reads events of both servers and compares them.
func (c *talk) listen(t *testing.T, what string, step step) {
	t.Helper()
	var answers []answer
	for _, s := range c.sides {
		stream := s.streams[step.watch]
		require.NotNil(t, stream, "%s: no such watch is open", what)
		taken, err := take(stream, step.events)
		require.NoError(t, err, "%s, of %s; so far:\n%s", what, s.name, taken)
		answers = append(answers, answer{code: http.StatusOK, header: http.Header{"Content-Type": {stream.contentType()}}, body: taken})
	}
	step.code = http.StatusOK
	c.compare(t, what, step, answers)
}
