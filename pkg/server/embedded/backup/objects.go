package backup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
)

// Resources are what a server of flow control stores.
func Resources() []string { return []string{"flowschemas", "prioritylevelconfigurations"} }

// objectReader decodes stored objects.
type objectReader struct {
	prefix  string // without a slash at its end
	decoder runtime.Decoder
}

func newObjectReader(prefix string) objectReader {
	return objectReader{
		prefix:  strings.TrimSuffix(prefix, "/"),
		decoder: serializer.NewCodecFactory(install.NewStorageScheme()).UniversalDeserializer(),
	}
}

// resourceOf returns the resource and the name of a key PREFIX/RESOURCE/NAME, and
// empty strings for another key.
func (r objectReader) resourceOf(key string) (resource, name string) {
	rest, found := strings.CutPrefix(key, r.prefix+"/")
	if !found {
		return "", ""
	}
	resource, name, found = strings.Cut(rest, "/")
	if !found || name == "" || strings.Contains(name, "/") || !slices.Contains(Resources(), resource) {
		return "", ""
	}
	return resource, name
}

// check returns an error unless value is an object of that name. It reports whether
// the value is encrypted.
func (r objectReader) check(name string, value []byte) (encrypted bool, err error) {
	if bytes.HasPrefix(value, []byte("k8s:enc:")) {
		return true, nil
	}
	object, _, err := r.decoder.Decode(value, nil, nil)
	if err != nil {
		return false, err
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return false, err
	}
	if accessor.GetName() != name {
		return false, fmt.Errorf("it is the object %q", accessor.GetName())
	}
	return false, nil
}
