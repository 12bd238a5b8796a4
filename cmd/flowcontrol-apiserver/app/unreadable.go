package app

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"
)

// namingStore makes the store say which key of etcd holds what nobody can read.
// The library says that something cannot be read, and not what; one such key
// keeps all objects of its resource from being listed, and the server from being
// ready.
type namingStore struct {
	generic.RESTOptionsGetter
	last *atomic.Pointer[error] // what could not be read
}

var _ generic.RESTOptionsGetter = namingStore{}

// GetRESTOptions implements generic.RESTOptionsGetter.
func (s namingStore) GetRESTOptions(resource schema.GroupResource, example runtime.Object) (generic.RESTOptions, error) {
	options, err := s.RESTOptionsGetter.GetRESTOptions(resource, example)
	if err != nil {
		return options, err
	}
	config := *options.StorageConfig
	if config.Transformer == nil {
		config.Transformer = identity.NewEncryptCheckTransformer() // the library's default
	}
	config.Transformer = readable{config.Transformer, config.Codec, s.last}
	options.StorageConfig = &config
	return options, nil
}

// nameUnreadable makes the store name keys, and readiness too: while the server
// has not read its configuration, the check stored-objects says which key may be
// why.
func (c *Config) nameUnreadable() {
	var last atomic.Pointer[error]
	c.generic.RESTOptionsGetter = namingStore{c.generic.RESTOptionsGetter, &last}
	c.generic.AddReadyzChecks(healthz.NamedCheck("stored-objects", func(request *http.Request) error {
		err := last.Load()
		if err == nil || c.flowControl == nil || c.flowControl.check(request) == nil {
			return nil
		}
		return *err
	}))
}

// readable decodes what is read, for the sake of the error: the store's own
// decoding does not know the key. These objects are small, and read from etcd at
// the start and when they change.
type readable struct {
	value.Transformer
	codec runtime.Decoder
	last  *atomic.Pointer[error]
}

var _ value.Transformer = readable{}

// TransformFromStorage implements value.Transformer.
func (r readable) TransformFromStorage(ctx context.Context, data []byte, about value.Context) ([]byte, bool, error) {
	plain, stale, err := r.Transformer.TransformFromStorage(ctx, data, about)
	if err == nil {
		_, err = runtime.Decode(r.codec, plain)
	}
	if err != nil {
		err = fmt.Errorf("the key %s in etcd holds no object that can be read: keep a copy and delete the key, if --etcd-prefix and --encryption-provider-config are right: %w",
			about.AuthenticatedData(), err)
		r.last.Store(&err)
		return nil, false, err
	}
	return plain, stale, nil
}
