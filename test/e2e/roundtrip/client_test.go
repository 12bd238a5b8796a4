package roundtrip

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/scheme"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// object is a FlowSchema or a PriorityLevelConfiguration of either version.
type object interface {
	runtime.Object
	metav1.Object
}

// client sends requests to one server.
type client struct {
	name, url string
	http      *http.Client
}

func newClient(t *testing.T, name string, config *rest.Config) client {
	t.Helper()
	httpClient, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	return client{name: name, url: config.Host, http: httpClient}
}

// send sends a body and accepts an answer of the same media type.
func (c client) send(ctx context.Context, method, path, mediaType string, body []byte) (code int, answer []byte, err error) {
	return c.exchange(ctx, method, path, mediaType, mediaType, body)
}

// patch sends a patch and accepts an answer in JSON.
func (c client) patch(ctx context.Context, path, patchType string, body []byte) (code int, answer []byte, err error) {
	return c.exchange(ctx, http.MethodPatch, path, patchType, runtime.ContentTypeJSON, body)
}

func (c client) exchange(ctx context.Context, method, path, sent, wanted string, body []byte) (code int, answer []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("User-Agent", "roundtrip")
	request.Header.Set("Content-Type", sent)
	request.Header.Set("Accept", wanted)
	response, err := c.http.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err = io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

// must is send for a request that must succeed.
func (c client) must(ctx context.Context, method, path, mediaType string, body []byte) ([]byte, error) {
	code, answer, err := c.send(ctx, method, path, mediaType, body)
	if err == nil && code >= http.StatusBadRequest {
		err = fmt.Errorf("%s: %s %s answered %d: %s", c.name, method, path, code, answer)
	}
	return answer, err
}

func mediaTypes() []string {
	return []string{runtime.ContentTypeJSON, runtime.ContentTypeYAML, runtime.ContentTypeProtobuf}
}

// resource returns the path of the resource of an object, in a version.
func resource(version string, o object) string {
	if _, ok := o.(*flowcontrolv1.FlowSchema); ok {
		return groupPath + "/" + version + "/flowschemas"
	}
	return groupPath + "/" + version + "/prioritylevelconfigurations"
}

const groupPath = "/apis/" + flowcontrolv1.GroupName

// encode encodes a v1 object.
func encode(o object, mediaType string) ([]byte, error) {
	info, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), mediaType)
	if !ok {
		return nil, fmt.Errorf("no serializer of %s", mediaType)
	}
	return runtime.Encode(scheme.Codecs.EncoderForVersion(info.Serializer, flowcontrolv1.SchemeGroupVersion), o)
}

func decode(data []byte) (object, error) {
	decoded, err := runtime.Decode(scheme.Codecs.UniversalDeserializer(), data)
	if err != nil {
		return nil, fmt.Errorf("%w: %q", err, data)
	}
	return decoded.(object), nil
}

// generate returns the valid object i of a seed, with a unique name.
func generate(seed uint64, i int) object {
	g := objects.New(seed, uint64(i), 0)
	for {
		var made object = g.FlowSchema()
		if i%2 == 0 {
			made = g.Level()
		}
		if made.GetName() == "exempt" || made.GetName() == "catch-all" {
			continue // every server has one already
		}
		made.SetName(fmt.Sprintf("generated-%d", i))
		made.SetGenerateName("")
		made.SetFinalizers(nil)
		made.SetManagedFields(nil)
		made.SetOwnerReferences(made.GetOwnerReferences()[:min(1, len(made.GetOwnerReferences()))]) // duplicates would be merged
		if _, kept := made.GetAnnotations()[flowcontrolv1.AutoUpdateAnnotationKey]; kept {
			// The servers delete unknown objects with this annotation.
			made.SetAnnotations(nil)
		}
		return made
	}
}

// isBuiltIn reports whether the object is a built-in one.
func isBuiltIn(o object) bool { return !strings.HasPrefix(o.GetName(), "generated-") }
