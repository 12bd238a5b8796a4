package hostile

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"golang.org/x/net/http2"
)

// events is the number of writes while watches are open.
const events = 20

// unreadWatches opens watches, each of which the server may send nothing but headers, and
// reads nothing of any connection. An administrator writes meanwhile.
func unreadWatches(ctx context.Context, s *Server, size Size, tally *Tally) error {
	var mu sync.Mutex // guards connections and failure
	var connections []*http2Connection
	var failure error
	defer func() {
		for _, connection := range connections {
			_ = connection.Close()
		}
	}()
	inParallel(ctx, workers/4, (size.Count+perConnection-1)/perConnection, func(i int) {
		connection, err := s.openWatches(ctx, min(perConnection, size.Count-i*perConnection))
		mu.Lock()
		defer mu.Unlock()
		if connection != nil {
			connections = append(connections, connection)
		}
		if err != nil {
			failure = fmt.Errorf("watches of connection %d: %w", i, err)
		}
	})
	if failure != nil {
		return failure
	}
	if err := s.awaitWatches(ctx, size.Count); err != nil {
		return err
	}
	for i := range events {
		if err := s.touch(ctx, i); err != nil {
			return err
		}
	}
	pause(ctx, size.Hold)
	watches, err := s.watches(ctx)
	tally.add(open, watches)
	return err
}

func (s *Server) openWatches(ctx context.Context, count int) (*http2Connection, error) {
	connection, err := s.dialHTTP2(ctx, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
	if err != nil {
		return nil, err
	}
	for i := range count {
		if err := connection.get(2*i+1, schemas+"?watch=1&timeoutSeconds=3600&resourceVersion=0", writer); err != nil {
			return connection, err
		}
	}
	return connection, connection.buffer.Flush()
}

// touch writes an annotation of a flow schema, which changes no specification.
func (s *Server) touch(ctx context.Context, value int) error {
	client := s.client(false)
	defer client.CloseIdleConnections()
	status, err := s.send(ctx, client, message{
		method: http.MethodPatch, path: schemas + "/catch-all", token: admin, headers: map[string]string{"Content-Type": asMerge},
		body: strings.NewReader(fmt.Sprintf(`{"metadata":{"annotations":{"hostile":"%d"}}}`, value)),
	})
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("answered %d", status)
	}
	if err != nil {
		return fmt.Errorf("writing an annotation: %w", err)
	}
	return nil
}
