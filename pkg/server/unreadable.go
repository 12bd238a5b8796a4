package server

import (
	"bytes"
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

// storedObjectsCheck is the name of the check on /readyz that says which key nobody
// can read.
const storedObjectsCheck = "stored-objects"

// unreadable is what was said last of a key that nobody can read; nil: nothing.
//
// The library says that something cannot be read, and not what; one such key
// keeps all objects of its resource from being listed, and the server from being
// ready. Its transformer is told the key of what is read, and its codec finds out
// that it is nonsense, right after. So the codec keeps what it could not read, and
// the transformer, when that is read again, says under which key it is. The watch
// cache reads again and again until it can. Each resource has a watch cache, so each
// keeps its own.
type unreadable struct{ atomic.Pointer[error] }

// notDecoded is what the codec of a resource could not decode last.
type notDecoded struct{ atomic.Pointer[nonsense] }

// nonsense is what was read, decrypted, and why it cannot be decoded.
type nonsense struct {
	data []byte
	err  error
}

// nameUnreadable makes the store name keys, and readiness too: while the server
// has not read its configuration, the check stored-objects says which key may be
// why.
func (c *Config) nameUnreadable() {
	unreadable := &unreadable{}
	c.generic.RESTOptionsGetter = namingStore{c.generic.RESTOptionsGetter, unreadable}
	c.generic.AddReadyzChecks(healthz.NamedCheck(storedObjectsCheck, func(request *http.Request) error {
		err := unreadable.Load()
		if err == nil || c.flowControl == nil || c.flowControl.check(request) == nil {
			return nil
		}
		return *err
	}))
}

// namingStore makes the stores of all resources name what is unreadable.
type namingStore struct {
	generic.RESTOptionsGetter
	unreadable *unreadable
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
	last := &notDecoded{}
	config.Transformer = namingTransformer{config.Transformer, last, s.unreadable}
	config.Codec = noticingCodec{config.Codec, last}
	options.StorageConfig = &config
	return options, nil
}

// noticingCodec keeps what it cannot decode.
type noticingCodec struct {
	runtime.Codec
	last *notDecoded
}

var _ runtime.Codec = noticingCodec{}

// Decode implements runtime.Decoder.
func (c noticingCodec) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	object, kind, err := c.Codec.Decode(data, defaults, into)
	if err != nil {
		c.last.Store(&nonsense{bytes.Clone(data), err})
	}
	return object, kind, err
}

// namingTransformer names the key of what cannot be decrypted, and of what the
// codec could not decode when it was read before.
type namingTransformer struct {
	value.Transformer
	last       *notDecoded
	unreadable *unreadable
}

var _ value.Transformer = namingTransformer{}

// TransformFromStorage implements value.Transformer.
func (t namingTransformer) TransformFromStorage(ctx context.Context, data []byte, about value.Context) ([]byte, bool, error) {
	plain, stale, err := t.Transformer.TransformFromStorage(ctx, data, about)
	if last := t.last.Load(); err == nil && last != nil && bytes.Equal(plain, last.data) {
		err = last.err
	}
	if err != nil {
		err = fmt.Errorf("the key %s in etcd holds no object that can be read: keep a copy and delete the key, if --etcd-prefix and --encryption-provider-config are right: %w",
			about.AuthenticatedData(), err)
		t.unreadable.Store(&err)
		return nil, false, err
	}
	return plain, stale, nil
}
