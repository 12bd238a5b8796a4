//go:build long

package harness

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// TestTheClockOfAServerIsSetWrongWhileItRuns reads the header Date, which net/http sets to
// the time of the server, to the second.
func TestTheClockOfAServerIsSetWrongWhileItRuns(t *testing.T) {
	clock := NewClock(t)
	server := StartServer(t, ServerOptions{Program: Program(t, binaries.WrongClock), Env: []string{clock.Env()}})
	client, err := rest.HTTPClientFor(server.Config(t))
	require.NoError(t, err)
	for _, ahead := range []time.Duration{0, time.Hour, -30 * 24 * time.Hour, 0} {
		clock.Set(t, ahead)
		reply, err := Send(t.Context(), client, http.MethodGet, server.URL+"/livez", "")
		require.NoError(t, err)
		date, err := http.ParseTime(reply.Header.Get("Date"))
		require.NoError(t, err)
		require.WithinDuration(t, time.Now().Add(ahead), date, 10*time.Second)
	}
}
