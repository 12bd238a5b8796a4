package server

import (
	"context"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/leaks"
)

// A program may close a server that it never ran, as after an error of another part.
func TestAServerThatIsClosedWithoutRunLeavesNoGoroutine(t *testing.T) {
	open := func(t *testing.T, change func(*Config)) {
		listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
		require.NoError(t, err)
		config := NewConfig()
		config.DataDir = filepath.Join(t.TempDir(), "data")
		config.SecureServing.Listener = listener
		change(config)
		s, err := New(context.Background(), config.Complete())
		require.NoError(t, err)
		s.Close()
	}
	open(t, func(*Config) {}) // what lasts for the process starts with the first server
	for name, change := range map[string]func(*Config){
		"without options":          func(*Config) {},
		"with a delay of the stop": func(c *Config) { c.Run.ShutdownDelayDuration = time.Hour },
		"with an audit log":        func(c *Config) { c.Audit.LogOptions.Path = filepath.Join(c.DataDir, "..", "audit.log") },
	} {
		t.Run(name, func(t *testing.T) {
			defer leaks.None(t)()
			open(t, change)
		})
	}
}
