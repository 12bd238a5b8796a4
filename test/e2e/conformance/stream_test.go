package conformance

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

// stream is the body of a watch, read event by event.
type stream struct {
	response *http.Response
	reader   *bufio.Reader
	cancel   context.CancelFunc
}

func newStream(response *http.Response, cancel context.CancelFunc) *stream {
	return &stream{response: response, reader: bufio.NewReader(response.Body), cancel: cancel}
}

func (s *stream) close() {
	s.cancel()
	_ = s.response.Body.Close()
}

// next is the next event with its framing; io.EOF after the last.
func (s *stream) next() ([]byte, error) {
	if !strings.HasPrefix(s.response.Header.Get("Content-Type"), "application/vnd.kubernetes.protobuf") {
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

// take reads so many events, or all of them. Of bookmarks that say the same
// again, which depend on the time, it takes the first.
func (s *stream) take(count int) ([]byte, error) {
	var taken, last []byte
	for count != 0 {
		event, err := s.next()
		if errors.Is(err, io.EOF) && count == toEnd {
			return taken, nil
		}
		if err != nil {
			return taken, err
		}
		if bytes.Contains(event, []byte("BOOKMARK")) && bytes.Equal(event, last) {
			continue
		}
		taken, last = append(taken, event...), event
		if count > 0 {
			count--
		}
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
		events, err := stream.take(step.events)
		require.NoError(t, err, "%s, of %s; so far:\n%s", what, s.name, events)
		answers = append(answers, answer{code: stream.response.StatusCode, header: stream.response.Header, body: events})
	}
	step.code = http.StatusOK
	c.compare(t, what, step, answers)
}
