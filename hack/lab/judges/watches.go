package judges

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// events is the number of writes while watches are open.
const events = 20

// unreadWatches opens watches that let the server send nothing but headers, and reads nothing more
// of any connection. An administrator writes meanwhile.
func unreadWatches(ctx context.Context, s *Server, size Size, tally *Tally) error {
	before, err := s.watches(ctx) // the server's own watches
	if err != nil {
		return err
	}
	opened := make([]net.Conn, (size.Count+perConnection-1)/perConnection)
	defer func() {
		for _, connection := range opened {
			if connection != nil {
				_ = connection.Close()
			}
		}
	}()
	if err := inParallel(len(opened), func(i int) (err error) {
		opened[i], err = s.openWatches(ctx, min(perConnection, size.Count-i*perConnection))
		return err
	}); err != nil {
		return err
	}
	for i := range events {
		if err := s.touch(ctx, i); err != nil {
			return err
		}
	}
	traffic.Pause(ctx, size.Hold)
	now, err := s.watches(ctx)
	tally.add(open, now-before)
	tally.add(closed, max(size.Count-(now-before), 0))
	return err
}

// openWatches opens watches on a connection. It sends those once more that flow control
// rejects, and returns when all are open. The caller closes the connection.
func (s *Server) openWatches(ctx context.Context, count int) (net.Conn, error) {
	connection, err := s.dialWithoutWindow(ctx)
	if err != nil {
		return nil, err
	}
	sent := 0
	for range count {
		if err := connection.watch(&sent); err != nil {
			return connection, err
		}
	}
	for opened := 0; opened < count; {
		status, err := connection.status()
		if err == nil && status == "200" {
			opened++
			continue
		}
		if err == nil && status != "429" {
			err = fmt.Errorf("a watch was answered %s", status)
		}
		if err == nil {
			err = connection.watch(&sent)
		}
		if err != nil {
			return connection, fmt.Errorf("%d of %d watches are open, after %d requests: %w", opened, count, sent, err)
		}
	}
	return connection, nil
}

// watch sends one more watch on the connection, and counts it.
func (c *http2Connection) watch(sent *int) error {
	if err := c.get(2**sent+1, schemas+"?watch=1&timeoutSeconds=3600&resourceVersion=0", writer); err != nil {
		return err
	}
	*sent++
	return c.buffer.Flush()
}

// dialWithoutWindow connects, and lets the server send nothing but headers.
func (s *Server) dialWithoutWindow(ctx context.Context) (*http2Connection, error) {
	connection, err := s.dialHTTP2(ctx, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
	if err != nil {
		return nil, err
	}
	connection.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	return connection, connection.SetDeadline(time.Now().Add(eventually.Grace))
}

// status reads until the headers of an answer, and returns its status. It ends the stream
// of an answer that is no watch.
func (c *http2Connection) status() (string, error) {
	for {
		frame, err := c.ReadFrame()
		if err != nil {
			return "", err
		}
		switch frame := frame.(type) {
		case *http2.GoAwayFrame:
			return "", fmt.Errorf("the server ends the connection: %v", frame.ErrCode)
		case *http2.MetaHeadersFrame:
			status := frame.PseudoValue("status")
			if status > "200" {
				err = c.WriteRSTStream(frame.StreamID, http2.ErrCodeCancel)
			}
			return status, err
		}
	}
}

// touch writes an annotation of a flow schema, which changes no specification.
func (s *Server) touch(ctx context.Context, value int) error {
	_, err := s.manage(ctx, traffic.Request{
		Method: http.MethodPatch, Path: schemas + "/catch-all", Header: map[string]string{"Content-Type": "application/merge-patch+json"},
		Body: fmt.Sprintf(`{"metadata":{"annotations":{"hostile":"%d"}}}`, value),
	})
	return err
}
