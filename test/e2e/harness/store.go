package harness

import (
	"path/filepath"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// Store returns a client of the etcd that holds the server's objects, embedded or
// external. The client is closed when the test ends.
func (s *Server) Store(t TB) *clientv3.Client {
	t.Helper()
	if s.options.Etcd != nil {
		return s.options.Etcd.Client(t)
	}
	client, err := clientv3.New(clientv3.Config{
		Endpoints:   []string{"unix://" + filepath.Join(s.DataDir, "etcd", "client.sock")},
		DialTimeout: eventually.Grace,
	})
	if err != nil {
		t.Fatalf("making a client of the embedded etcd: %v", err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}
