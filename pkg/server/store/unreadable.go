package store

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
)

// unreadableObject is the last error about an object in etcd that cannot be read,
// nil for none.
//
// One object that cannot be read keeps the watch cache of its resource, and so the server, from
// becoming ready, and the library's error does not name it. The library's transformer knows the key
// but not whether the value decodes; its codec, which comes next, knows that but not the key. So
// the codec keeps what it cannot decode, and the transformer names the key when the watch cache
// reads it again, as it does until it succeeds. Each resource has a watch cache, so each keeps its
// own value.
type unreadableObject struct{ atomic.Pointer[error] }

// lastDecodeFailure is the value that the codec of a resource failed to decode last.
type lastDecodeFailure struct{ atomic.Pointer[decodeFailure] }

// decodeFailure is a decrypted value and why it does not decode.
type decodeFailure struct {
	data []byte
	err  error
}

// named returns the config of a resource with a codec and a transformer that name the keys
// of its unreadable objects.
func (u *unreadableObject) named(of *storagebackend.ConfigForResource) *storagebackend.ConfigForResource {
	config := *of
	if config.Transformer == nil {
		config.Transformer = identity.NewEncryptCheckTransformer() // the library's default
	}
	last := &lastDecodeFailure{}
	config.Transformer = namingTransformer{config.Transformer, last, u}
	config.Codec = recordingCodec{config.Codec, last}
	return &config
}

// recordingCodec keeps the last value that it cannot decode.
type recordingCodec struct {
	runtime.Codec
	last *lastDecodeFailure
}

var _ runtime.Codec = recordingCodec{}

// Decode implements runtime.Decoder.
func (c recordingCodec) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	object, kind, err := c.Codec.Decode(data, defaults, into)
	if err != nil {
		c.last.Store(&decodeFailure{bytes.Clone(data), err})
	}
	return object, kind, err
}

// namingTransformer names the key of a value that does not decrypt, and of one that
// did not decode when it was read before. It counts what lists read, see package filter.
type namingTransformer struct {
	value.Transformer
	last       *lastDecodeFailure
	unreadable *unreadableObject
}

var _ value.Transformer = namingTransformer{}

// TransformFromStorage implements value.Transformer.
func (t namingTransformer) TransformFromStorage(ctx context.Context, data []byte, about value.Context) ([]byte, bool, error) {
	plain, stale, err := t.Transformer.TransformFromStorage(ctx, data, about)
	filter.CountRead(ctx, len(plain))
	if last := t.last.Load(); err == nil && last != nil && bytes.Equal(plain, last.data) {
		err = last.err
	}
	if err != nil {
		err = fmt.Errorf("the key %s in etcd holds no object that can be read: delete nothing, check --etcd-prefix and --encryption-provider-config, and read it with kube-apiserver or the release that stored it: %w",
			about.AuthenticatedData(), err)
		t.unreadable.Store(&err)
		return nil, false, err
	}
	return plain, stale, nil
}
