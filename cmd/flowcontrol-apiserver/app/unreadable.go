package app

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"
)

// namingStore makes the store say which key of etcd holds what nobody can read.
// The library says that something cannot be read, and not what; one such key
// keeps all objects of its resource from being listed, and the server from being
// ready.
type namingStore struct{ generic.RESTOptionsGetter }

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
	config.Transformer = readable{config.Transformer, config.Codec}
	options.StorageConfig = &config
	return options, nil
}

// readable decodes what is read, for the sake of the error: the store's own
// decoding does not know the key. These objects are small, and read from etcd at
// the start and when they change.
type readable struct {
	value.Transformer
	codec runtime.Decoder
}

var _ value.Transformer = readable{}

// TransformFromStorage implements value.Transformer.
func (r readable) TransformFromStorage(ctx context.Context, data []byte, about value.Context) ([]byte, bool, error) {
	plain, stale, err := r.Transformer.TransformFromStorage(ctx, data, about)
	if err == nil {
		_, err = runtime.Decode(r.codec, plain)
	}
	if err != nil {
		return nil, false, fmt.Errorf("the key %s in etcd holds no object that can be read: keep a copy and delete the key, if --etcd-prefix and --encryption-provider-config are right: %w",
			about.AuthenticatedData(), err)
	}
	return plain, stale, nil
}
