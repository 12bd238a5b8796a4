package alone

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// dial opens a connection of HTTP/1.1 to the server.
func (s *faulty) dial(t *testing.T) *tls.Conn {
	t.Helper()
	connection, err := tls.Dial("tcp", strings.TrimPrefix(s.URL, "https://"), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
	require.NoError(t, err)
	return connection
}

// testLeftBeforeTheQueue leaves in the middle of headers, and of a body, which is read
// after flow control.
func testLeftBeforeTheQueue(t *testing.T, e *etcdSite) {
	head := "POST " + v1Path + "/prioritylevelconfigurations HTTP/1.1\r\nHost: server\r\nAuthorization: Bearer " + worker + "\r\n"
	for range repetitions {
		for _, request := range []string{head, head + "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"} {
			connection := e.dial(t)
			_, err := io.WriteString(connection, request)
			require.NoError(t, err)
			require.NoError(t, connection.Close())
		}
	}
}

// testLeftInTheQueue leaves while one request executes, which waits for etcd, and the
// others wait for its seat; and then the one that executes.
func testLeftInTheQueue(t *testing.T, e *etcdSite) {
	e.etcd.become(holds)
	executing, leaveSeat := e.begin(t, 1)
	eventually.Holds(t, "a request executes", func(a *eventually.Attempt) { require.Equal(a, 1, e.executing(a)) })
	waiting, leaveQueue := e.begin(t, repetitions)
	eventually.Holds(t, "requests wait", func(a *eventually.Attempt) { require.Equal(a, repetitions, e.waiting(a)) })
	leaveQueue()
	waiting.Wait()
	eventually.Holds(t, "none waits", func(a *eventually.Attempt) {
		require.Zero(a, e.waiting(a))
		require.Equal(a, 1, e.executing(a), "the seat is still taken")
	})
	leaveSeat()
	executing.Wait()
	eventually.Holds(t, "the seat is free while etcd is still away", func(a *eventually.Attempt) { require.Zero(a, e.executing(a)) })
}

// begin sends requests of the worker, until leave is called.
func (e *etcdSite) begin(t *testing.T, count int) (group *sync.WaitGroup, leave context.CancelFunc) {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	client, group := e.newWorker(t), &sync.WaitGroup{}
	for i := range count {
		group.Go(func() {
			_, _ = e.ask(ctx, client, fmt.Sprintf("%s/nobody-has-this-name-%d", v1Path+"/flowschemas", i)) // no answer comes
		})
	}
	return group, leave
}

// testLeftDuringTheAnswer leaves after the first byte of a list, and of a watch.
func testLeftDuringTheAnswer(t *testing.T, e *etcdSite) {
	for i := range repetitions {
		path := v1Path + "/flowschemas"
		if i%2 == 1 {
			path += "?watch=1"
		}
		connection := e.dial(t)
		_, err := io.WriteString(connection, "GET "+path+" HTTP/1.1\r\nHost: server\r\nAuthorization: Bearer "+worker+"\r\n\r\n")
		require.NoError(t, err)
		_, err = io.ReadFull(connection, make([]byte, 1))
		require.NoError(t, err)
		require.NoError(t, connection.Close())
	}
}
