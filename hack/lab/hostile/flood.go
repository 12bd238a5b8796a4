package hostile

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
)

// Flood is what unknown clients send, each stream one request after the other.
type Flood struct {
	Name    string
	message func(i int) message
}

// Floods returns all of them. The first is none.
func Floods() []Flood {
	return []Flood{
		{Name: "none"},
		{"anonymous, `Impersonate-User` of another user each time", func(i int) message {
			return message{method: http.MethodGet, path: schemas, headers: map[string]string{"Impersonate-User": fmt.Sprintf("user-%d", i)}}
		}},
		{"anonymous, another path each time", func(i int) message { return message{method: http.MethodGet, path: fmt.Sprintf("/path-%d", i)} }},
		{"another token each time", func(i int) message {
			return message{method: http.MethodGet, path: schemas, token: fmt.Sprintf("token-%d", i)}
		}},
	}
}

// floodRequests bounds the requests of a flood.
const floodRequests = 500_000

// streamsOfConnection is fewer than both servers allow.
const streamsOfConnection = 50

// run sends the flood on streams until ctx ends, and counts the answers. Both servers close the
// connection of an unknown client after an answer, as k8s.io/apiserver does it by its feature gate
// UnauthenticatedHTTP2DOSMitigation: what else is on it is cut off.
func (f Flood) run(ctx context.Context, s *Server, streams int, tally *Tally) {
	var sent atomic.Int64
	send := func(client *http.Client) {
		if i := int(sent.Add(1)); i <= floodRequests {
			if status, err := s.send(ctx, client, f.message(i)); ctx.Err() == nil {
				tally.addStatus(status, err)
			}
		}
	}
	connections := streams / streamsOfConnection
	inParallel(context.WithoutCancel(ctx), connections, connections, func(int) {
		client := s.client(false)
		defer client.CloseIdleConnections()
		send(client) // connects
		inParallel(context.WithoutCancel(ctx), streamsOfConnection, streamsOfConnection, func(int) {
			for ctx.Err() == nil && sent.Load() < floodRequests {
				send(client)
			}
		})
	})
}
