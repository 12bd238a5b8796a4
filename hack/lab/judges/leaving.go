package judges

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
)

// left counts requests whose client closed its connection in the middle of them.
const left = "left"

// leaver is a kind of request whose client leaves in the middle.
type leaver struct {
	method, path string
	// body is set for a request whose body never ends.
	body bool
	// begun is the status that says that the server is in the middle of the request.
	begun string
	// all is set if the client waits until all requests have begun, else until the first one has.
	all bool
}

// leaveLists opens lists whose answer the client does not read, since it gives it no window.
func leaveLists(ctx context.Context, s *Server, size Size, tally *Tally) error {
	return s.leave(ctx, size, tally, leaver{method: http.MethodGet, path: schemas, begun: "200"})
}

// leaveUploads begins bodies. The server asks for one when its handler reads it.
func leaveUploads(ctx context.Context, s *Server, size Size, tally *Tally) error {
	return s.leave(ctx, size, tally, leaver{method: http.MethodPost, path: schemas, body: true, begun: "100"})
}

// leaveWatches opens watches and leaves when all are open.
func leaveWatches(ctx context.Context, s *Server, size Size, tally *Tally) error {
	return s.leave(ctx, size, tally, leaver{method: http.MethodGet, path: schemas + "?watch=1&timeoutSeconds=3600&resourceVersion=0", begun: "200", all: true})
}

// leave sends requests, perConnection on each connection, and closes the connection in the middle of
// them. It returns when all are closed.
func (s *Server) leave(ctx context.Context, size Size, tally *Tally, l leaver) error {
	return inParallel((size.Count+perConnection-1)/perConnection, func(i int) error {
		count := min(perConnection, size.Count-i*perConnection)
		connection, err := s.dialWithoutWindow(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = connection.Close() }()
		rejected, err := connection.beginAll(count, l)
		tally.add("429", rejected)
		tally.add(left, count-rejected)
		return err
	})
}

// beginAll sends requests, and returns when the server is in the middle of the first one or of all
// that it does not reject, and how many it has rejected.
func (c *http2Connection) beginAll(count int, l leaver) (rejected int, err error) {
	for i := range count {
		if err := c.begin(2*i+1, l); err != nil {
			return 0, err
		}
	}
	if err := c.buffer.Flush(); err != nil {
		return 0, err
	}
	for begun := 0; begun+rejected < count; {
		status, err := c.status()
		switch {
		case err != nil:
			return rejected, fmt.Errorf("%d of %d requests have begun: %w", begun, count, err)
		case status == l.begun:
			begun++
		case status == strconv.Itoa(http.StatusTooManyRequests):
			rejected++
		default:
			return rejected, fmt.Errorf("a request was answered %s", status)
		}
		if begun > 0 && !l.all {
			return rejected, nil
		}
	}
	return rejected, nil
}

// begin opens a stream and sends a request of the writer, or its first bytes.
func (c *http2Connection) begin(stream int, l leaver) error {
	fields := [][2]string{{":method", l.method}, {":scheme", "https"}, {":authority", "x"}, {":path", l.path}, {"authorization", "Bearer " + writer}}
	if l.body {
		fields = append(fields, [2]string{"content-type", "application/json"}, [2]string{"expect", "100-continue"})
	}
	if err := c.writeHeaders(stream, !l.body, fields); err != nil || !l.body {
		return err
	}
	return c.WriteData(uint32(stream), false, []byte(`{"apiVersion":`))
}
