package standalone

import (
	"context"

	"github.com/go-logr/logr"
)

// Etcd is an etcd that runs in this process.
type Etcd struct {
}

// StartEtcd starts etcd on DIR/etcd and returns when it serves. ctx bounds the
// start only.
func StartEtcd(ctx context.Context, dir *DataDirectory, logger logr.Logger) (*Etcd, error) {
	return &Etcd{}, nil
}

// Endpoint is the client URL, for --etcd-servers.
func (e *Etcd) Endpoint() string { return "" }

// Failed yields one error if etcd dies on its own, and nothing otherwise.
func (e *Etcd) Failed() <-chan error { return nil }

// Close stops etcd. When ctx ends first, it returns an error and leaves the rest
// to the end of the process.
func (e *Etcd) Close(ctx context.Context) error { return nil }
