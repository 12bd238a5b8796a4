package server

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/leaks"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

// A program may close a server that it never ran, as after an error of another part. A start that
// fails when etcd runs leaves nothing either: the next one has the directory and the address.
func TestAServerThatIsClosedWithoutRunLeavesNoGoroutine(t *testing.T) {
	roles := filepath.Join(t.TempDir(), "roles.yaml") // reloaded in the background
	require.NoError(t, os.WriteFile(roles, nil, 0o600))
	dir, address := filepath.Join(t.TempDir(), "data"), &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}
	open := func(encryption string) error {
		listener, err := net.ListenTCP("tcp", address)
		require.NoError(t, err)
		address = listener.Addr().(*net.TCPAddr)
		config := NewConfig()
		config.DataDir = dir
		config.SecureServing.Listener = listener
		config.Identity.Local.AuthorizationRBACFile = roles
		config.Etcd.EncryptionProviderConfigFilepath = encryption
		s, err := New(context.Background(), config.Complete())
		if err == nil {
			s.Close()
		}
		return err
	}
	require.NoError(t, open("")) // what lasts for the process starts with the first server
	defer leaks.None(t)()
	require.ErrorContains(t, open("absent"), "--encryption-provider-config=absent")
	require.NoError(t, open(""))
}

// A supervisor restarts a process that ends with an error, whose text is the log's last line.
func TestRunSaysWhyItEnded(t *testing.T) {
	for want, failing := range map[string]func(*Server) *<-chan error{
		"the embedded etcd stopped: no disk": func(s *Server) *<-chan error { return &s.etcdFailed },
		"no disk":                            func(s *Server) *<-chan error { return &s.dataLost },
	} {
		config := NewConfig()
		config.DataDir = filepath.Join(t.TempDir(), "data")
		config.SecureServing.Listener = ports.Listen(t)
		s, err := New(t.Context(), config.Complete())
		require.NoError(t, err)
		failed, ended := make(chan error, 1), make(chan error, 1)
		*failing(s) = failed
		go func() { ended <- s.Run(t.Context()) }()
		require.NoError(t, s.WaitReady(t.Context()))
		failed <- errors.New("no disk")
		require.EqualError(t, <-ended, want)
		s.Close()
	}
}
