package prom

import (
	"path/filepath"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

// Server is a running Prometheus.
type Server struct {
	// URL is where it serves.
	URL string
}

// Start starts a Prometheus with a configuration file, stores its data beside that file,
// and waits until it is ready.
func Start(t harness.TB, configuration string) *Server {
	t.Helper()
	address := ports.Loopback(ports.Free(t, 1)[0])
	harness.StartProcess(t, harness.Command{Path: harness.Program(t, binaries.Prometheus), Args: []string{
		"--config.file=" + configuration, "--storage.tsdb.path=" + filepath.Join(filepath.Dir(configuration), "data"), "--web.listen-address=" + address,
	}})
	s := &Server{URL: "http://" + address}
	eventually.Holds(t, "Prometheus is ready", func(a *eventually.Attempt) {
		_, err := s.Fetch(a.Context(), "/-/ready")
		require.NoError(a, err)
	})
	return s
}
