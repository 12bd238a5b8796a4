package store

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/value"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
)

// countingCodec counts the calls of Decode.
type countingCodec struct {
	runtime.Codec
	decoded int
}

func (c *countingCodec) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	c.decoded++
	return c.Codec.Decode(data, defaults, into)
}

// naming is a store that reports the names of unreadable objects, read as the
// library reads.
type naming struct {
	config     *storagebackend.ConfigForResource
	codec      *countingCodec
	unreadable unreadableObject
}

func newNaming(t *testing.T) *naming {
	t.Helper()
	n := &naming{codec: &countingCodec{Codec: serializer.NewCodecFactory(install.NewScheme()).LegacyCodec(flowcontrolv1.SchemeGroupVersion)}}
	n.config = n.newConfig()
	return n
}

// newConfig returns the config of one resource.
func (n *naming) newConfig() *storagebackend.ConfigForResource {
	return n.unreadable.named(&storagebackend.ConfigForResource{Config: storagebackend.Config{Codec: n.codec}})
}

func (n *naming) read(t *testing.T, key, data string) error {
	t.Helper()
	plain, _, err := n.config.Transformer.TransformFromStorage(t.Context(), []byte(data), value.DefaultContext(key))
	if err != nil {
		return err
	}
	_, err = runtime.Decode(n.config.Codec, plain)
	return err
}

const nothingToDecode = `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","metadata":{"name":7}}`

func TestUnreadableObjectIsNamedWhenItIsReadAgain(t *testing.T) {
	n := newNaming(t)
	err := n.read(t, "/one", nothingToDecode)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "/one", "nobody knows the key yet, or this test tests nothing")
	require.Nil(t, n.unreadable.Load())

	again := n.read(t, "/one", nothingToDecode)
	require.ErrorContains(t, again, "the key /one in etcd holds no object that can be read")
	require.ErrorContains(t, again, "delete nothing", "another server may read it")
	require.ErrorContains(t, again, err.Error(), "why not")
	require.Equal(t, again, *n.unreadable.Load(), "readiness says it too")

	other := n.read(t, "/other", "nonsense")
	require.Error(t, other)
	require.NotContains(t, other.Error(), "/one")
	require.ErrorContains(t, n.read(t, "/other", "nonsense"), "the key /other ")
}

// The watch caches of both resources relist in turns.
func TestUnreadableObjectsOfBothResourcesAreNamed(t *testing.T) {
	n := newNaming(t)
	schemas, levels := n.config, n.newConfig()
	var errSchema, errLevel error
	for range 2 {
		n.config = schemas
		errSchema = n.read(t, "/schema", nothingToDecode)
		n.config = levels
		errLevel = n.read(t, "/level", "nonsense")
	}
	require.ErrorContains(t, errSchema, "the key /schema ")
	require.ErrorContains(t, errLevel, "the key /level ")
}

func TestWhatCannotBeDecryptedIsNamedAtOnce(t *testing.T) {
	require.ErrorContains(t, newNaming(t).read(t, "/secret", "k8s:enc:aescbc:v1:key:secret"), "the key /secret ")
}

func TestReadableObjectIsDecodedOnce(t *testing.T) {
	n := newNaming(t)
	require.Error(t, n.read(t, "/broken", nothingToDecode))
	n.codec.decoded = 0
	object := &flowcontrol.FlowSchema{}
	object.Name = "fine"
	data, err := runtime.Encode(n.config.Codec, object)
	require.NoError(t, err)
	require.NoError(t, n.read(t, "/fine", string(data)))
	assert.Equal(t, 1, n.codec.decoded, "decoding is most of the time of a list from etcd")
	require.Nil(t, n.unreadable.Load())
}
