package hostile

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// idleConnections opens connections and sends nothing. Every other one does not even
// begin TLS.
func idleConnections(ctx context.Context, s *Server, size Size, tally *Tally) error {
	connections, err := s.openAll(ctx, size.Count, func(i int) (net.Conn, error) {
		if i%2 == 0 {
			return (&net.Dialer{}).DialContext(ctx, "tcp", s.host())
		}
		return s.dial(ctx)
	})
	defer closeAll(connections)
	if err != nil {
		return err
	}
	end := watchConnections(connections, tally)
	pause(ctx, size.Hold)
	end()
	return nil
}

// handshakes opens connections, and closes each as soon as TLS is established.
func handshakes(ctx context.Context, s *Server, size Size, tally *Tally) error {
	inParallel(ctx, workers, size.Count, func(int) {
		connection, err := s.dial(ctx)
		if err != nil {
			tally.add(closed, 1)
			return
		}
		tally.add(open, 1)
		_ = connection.Close()
	})
	return nil
}

// slowHeaders begins requests and sends a byte of a header each second.
func slowHeaders(ctx context.Context, s *Server, size Size, tally *Tally) error {
	return s.trickle(ctx, size, tally, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")
}

// slowBodies sends a byte of a body each second. Their client may write.
func slowBodies(ctx context.Context, s *Server, size Size, tally *Tally) error {
	return s.trickle(ctx, size, tally, fmt.Sprintf("POST %s?timeout=2s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n", schemas, writer))
}

// trickle opens connections, sends the beginning, and then a byte a second on each.
func (s *Server) trickle(ctx context.Context, size Size, tally *Tally, beginning string) error {
	connections, err := s.openAll(ctx, size.Count, func(int) (net.Conn, error) {
		connection, err := s.dial(ctx)
		if err == nil {
			_, err = connection.Write([]byte(beginning))
		}
		return connection, err
	})
	defer closeAll(connections)
	if err != nil {
		return err
	}
	end := watchConnections(connections, tally)
	for range int(size.Hold/time.Second) + 1 {
		for _, connection := range connections {
			_, _ = connection.Write([]byte(" ")) // fails once the server has closed it
		}
		pause(ctx, time.Second)
	}
	end()
	return nil
}

// openAll opens connections. The caller closes them, also after an error.
func (s *Server) openAll(ctx context.Context, count int, dial func(i int) (net.Conn, error)) (connections []net.Conn, err error) {
	var mu sync.Mutex // guards connections and err
	inParallel(ctx, workers, count, func(i int) {
		connection, failure := dial(i)
		mu.Lock()
		defer mu.Unlock()
		if connection != nil {
			connections = append(connections, connection)
		}
		if failure != nil {
			err = fmt.Errorf("opening connection %d of %d: %w", len(connections), count, failure)
		}
	})
	return connections, err
}

func closeAll(connections []net.Conn) {
	for _, connection := range connections {
		_ = connection.Close()
	}
}

// watchConnections counts what the server does with connections until the returned
// function is called, which closes them.
func watchConnections(connections []net.Conn, tally *Tally) (end func()) {
	var ending atomic.Bool
	var group sync.WaitGroup
	for _, connection := range connections {
		group.Go(func() {
			answer, err := http.ReadResponse(bufio.NewReaderSize(connection, 512), nil)
			switch {
			case err == nil:
				_ = answer.Body.Close()
				tally.addStatus(answer.StatusCode, nil)
			case ending.Load():
				tally.add(open, 1)
			default:
				tally.add(closed, 1)
			}
		})
	}
	return func() {
		ending.Store(true)
		closeAll(connections)
		group.Wait()
	}
}
