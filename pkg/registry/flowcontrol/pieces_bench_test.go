package flowcontrol

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
)

// BenchmarkList measures a list over HTTP/2, client and server, that is encoded whole, object by
// object as the library does by default, and in pieces.
func BenchmarkList(b *testing.B) {
	scheme := install.NewScheme()
	streaming := serializer.NewCodecFactory(scheme, serializer.WithStreamingCollectionEncodingToJSON(), serializer.WithStreamingCollectionEncodingToProtobuf())
	list := manySchemas()
	for _, mediaType := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		for _, encoding := range []struct {
			name string
			with runtime.NegotiatedSerializer
		}{{"whole", serializer.NewCodecFactory(scheme)}, {"objects", streaming}, {"pieces", newPieces(streaming)}} {
			b.Run("type="+mediaType+"/encoding="+encoding.name, func(b *testing.B) {
				info, _ := runtime.SerializerInfoForMediaType(encoding.with.SupportedMediaTypes(), mediaType)
				encoder := encoding.with.EncoderForVersion(info.Serializer, flowcontrolv1.SchemeGroupVersion)
				server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					_ = encoder.Encode(list, w)
				}))
				server.EnableHTTP2 = true
				server.StartTLS()
				defer server.Close()
				b.ReportAllocs()
				for b.Loop() {
					response, err := server.Client().Get(server.URL)
					require.NoError(b, err)
					require.Equal(b, 2, response.ProtoMajor)
					_, err = io.Copy(io.Discard, response.Body)
					require.NoError(b, err)
					require.NoError(b, response.Body.Close())
				}
			})
		}
	}
}
