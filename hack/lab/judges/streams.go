package judges

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"golang.org/x/sync/errgroup"
)

// perConnection is the number of streams that a connection of kube-apiserver and of this
// server may have at once.
const perConnection = 100

// http2Connection writes frames of its own making.
type http2Connection struct {
	net.Conn
	*http2.Framer
	buffer  *bufio.Writer
	encoded bytes.Buffer
	encoder *hpack.Encoder
}

// dialHTTP2 connects and sends the client's preface with settings.
func (s *Server) dialHTTP2(ctx context.Context, settings ...http2.Setting) (*http2Connection, error) {
	connection, err := s.dial(ctx, http2.NextProtoTLS)
	if err != nil {
		return nil, err
	}
	c := &http2Connection{Conn: connection, buffer: bufio.NewWriterSize(connection, 64<<10)}
	c.Framer, c.encoder = http2.NewFramer(c.buffer, connection), hpack.NewEncoder(&c.encoded)
	if _, err := c.buffer.WriteString(http2.ClientPreface); err != nil {
		_ = connection.Close()
		return nil, err
	}
	if err := c.WriteSettings(settings...); err != nil {
		_ = connection.Close()
		return nil, err
	}
	return c, nil
}

// connections is how many connections are used at once.
const connections = 8

// inParallel calls do for 0 to count-1. It returns the first error.
func inParallel(count int, do func(i int) error) error {
	var group errgroup.Group
	group.SetLimit(connections)
	for i := range count {
		group.Go(func() error {
			if err := do(i); err != nil {
				return fmt.Errorf("connection %d: %w", i, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// get opens the stream with this number, and sends a request without a body on it.
func (c *http2Connection) get(stream int, path, token string) error {
	return c.writeHeaders(stream, true, [][2]string{
		{":method", "GET"}, {":scheme", "https"}, {":authority", "x"}, {":path", path}, {"authorization", "Bearer " + token},
	})
}

// writeHeaders opens the stream with this number. If it ends there, the request has no body.
func (c *http2Connection) writeHeaders(stream int, ends bool, fields [][2]string) error {
	c.encoded.Reset()
	for _, field := range fields {
		if err := c.encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}); err != nil {
			return err
		}
	}
	return c.WriteHeaders(http2.HeadersFrameParam{StreamID: uint32(stream), BlockFragment: c.encoded.Bytes(), EndStream: ends, EndHeaders: true})
}

// resetStreams opens streams and resets each at once, 1,000 on a connection, for three
// kinds of users: one without permission, one who lists, and one whose token is unknown.
func resetStreams(ctx context.Context, s *Server, size Size, tally *Tally) error {
	const streams = 1000
	users := []string{stranger, writer, "unknown"}
	return inParallel(size.Count/streams, func(i int) error {
		connection, err := s.dialHTTP2(ctx)
		if err != nil {
			return err
		}
		sent := connection.resetUntilStalled(ctx, streams, users[i%len(users)])
		tally.add("streams", sent)
		if sent < streams {
			tally.add(closed, 1)
		}
		return nil
	})
}
