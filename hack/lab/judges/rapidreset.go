package judges

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"time"

	"golang.org/x/net/http2"
)

// Extent of rapidReset.
const (
	// rapidFor is how long its clients continue at most.
	rapidFor = 8 * time.Second
	// rapidBatch is the number of streams that are written at once.
	rapidBatch = 1000
	// rapidStall is how long a write may take before its client connects again.
	rapidStall = 2 * time.Second
)

// rapidReset opens streams and resets each at once, as fast as the server accepts them, on one
// connection after the other. Its client has an administrator's certificate, so nothing rejects it.
func rapidReset(ctx context.Context, s *Server, size Size, tally *Tally) error {
	ctx, cancel := context.WithTimeout(ctx, min(size.Hold, rapidFor))
	defer cancel()
	for sent := 0; sent < size.Count && ctx.Err() == nil; {
		connection, err := s.asAdministrator().dialHTTP2(ctx)
		if err != nil {
			if ctx.Err() != nil {
				break
			}
			return fmt.Errorf("after %d streams: %w", sent, err)
		}
		count := connection.resetUntilStalled(ctx, size.Count-sent, "")
		sent += count
		tally.add("streams", count)
	}
	return nil
}

// resetUntilStalled opens streams and resets each, and closes the connection. It returns how many streams it opened
// before the server closed the connection, or did not read any more.
func (c *http2Connection) resetUntilStalled(ctx context.Context, count int, token string) (sent int) {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, c.Conn)
	}()
	defer func() {
		_ = c.NetConn().Close() // without the end of TLS, which would wait for the server
		<-drained
	}()
	for sent < count && ctx.Err() == nil {
		_ = c.SetWriteDeadline(time.Now().Add(rapidStall))
		for range min(rapidBatch, count-sent) {
			stream := 2*sent + 1
			if c.get(stream, schemas, token) != nil || c.WriteRSTStream(uint32(stream), http2.ErrCodeCancel) != nil {
				return sent
			}
			sent++
		}
		if c.buffer.Flush() != nil {
			return sent
		}
	}
	return sent
}

// NetConn is the connection below TLS.
func (c *http2Connection) NetConn() interface{ Close() error } {
	return c.Conn.(*tls.Conn).NetConn()
}
