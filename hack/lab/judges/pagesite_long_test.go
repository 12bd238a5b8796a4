//go:build long

package judges

import (
	"context"
	"flag"
	"io"
	"net/http"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

var updatePictures = flag.Bool("update-pictures", false, "write docs/top-light.png and docs/top-dark.png, after some load")

// pageSite is a server with a level that is full, the plug-in that serves a page about
// it, and a browser that shows it.
type pageSite struct {
	*pageServer
	*browser
	plugin  *harness.Process
	address string
}

// serve starts the plug-in, and sets the address that it prints.
func (s *pageSite) serve(t *testing.T) {
	t.Helper()
	s.plugin = harness.StartProcess(t, harness.Command{
		Path: harness.Program(t, binaries.Plugin), Args: []string{"top", "--web", "--interval=250ms", "--kubeconfig=" + s.Kubeconfig},
	})
	require.NoError(t, s.plugin.WaitOutput(t.Context(), "/\n"))
	s.address = regexp.MustCompile(`http://127\.0\.0\.1:\d+/\w+/`).FindString(s.plugin.Output())
	require.NotEmpty(t, s.address, s.plugin.Output())
}

// fill makes a request execute in the level, whose body does not end, and another one
// wait, until the returned function is called.
func (s *pageSite) fill(t *testing.T) (release func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	body, writer := io.Pipe()
	var clients sync.WaitGroup
	release = func() {
		_ = writer.Close() // never fails
		cancel()
		clients.Wait()
	}
	t.Cleanup(release)
	send := func(user, method, path string, body io.Reader) {
		request, err := http.NewRequestWithContext(ctx, method, s.URL+path, body)
		if err != nil {
			panic(err) // a path of this test is invalid
		}
		request.Header.Set("Authorization", "Bearer "+user)
		request.Header.Set("Content-Type", "application/json")
		if response, err := s.users.Do(request); err == nil {
			_ = response.Body.Close() // only whether it executes or waits matters
		}
	}
	clients.Go(func() { send(reader, http.MethodPost, schemas, body) })
	s.awaitMetric(t, `apiserver_flowcontrol_current_executing_requests{flow_schema="`+narrow+`",priority_level="`+narrow+`"} 1`)
	clients.Go(func() {
		for ctx.Err() == nil {
			send(guest, http.MethodGet, schemas+"/catch-all", http.NoBody) // until its time in the queue is over
		}
	})
	s.awaitMetric(t, `apiserver_flowcontrol_current_inqueue_requests{flow_schema="`+narrow+`",priority_level="`+narrow+`"} 1`)
	return release
}

// load sends requests of several users, and some are rejected: for two seconds, or for longer if
// the pictures are written.
func (s *pageSite) load(t *testing.T) {
	t.Helper()
	length := 2 * time.Second
	if *updatePictures {
		length = time.Minute
	}
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	var clients sync.WaitGroup
	for _, user := range []string{reader, guest, "robot", "robot", "robot", "robot", "markup"} {
		clients.Go(func() {
			for range 20000 {
				if _, err := harness.Send(ctx, s.users, http.MethodGet, s.URL+schemas, "", "Authorization: Bearer "+user); err != nil {
					return // the time is over
				}
			}
		})
	}
	clients.Wait()
}
