package embedded

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
)

// RunningEtcd returns the endpoint of the etcd of the server that runs on the data directory at
// path, valid until release. The error says that none answers.
func RunningEtcd(ctx context.Context, path string) (endpoint string, release func() error, err error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", nil, fmt.Errorf("data directory %s: %w; give an absolute path", path, err)
	}
	socket, err := newSocket(filepath.Join(absolute, "etcd"))
	if err != nil {
		return "", nil, err
	}
	connection, err := (&net.Dialer{}).DialContext(ctx, "unix", socket.path) // gRPC would try on, and log each attempt
	if err == nil {
		err = connection.Close()
	}
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("data directory %s: no etcd answers: %w; start its server, run this as the server's user, or name the directory with --data-dir", absolute, err), socket.close())
	}
	return socket.endpoint(), socket.close, nil
}
