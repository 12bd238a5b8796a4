package flowcontrol

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// gzipThreshold is the size above which the library compresses a response, if its first write has it.
const gzipThreshold = 128 << 10

// written is a writer that notes the sizes of the writes.
type written struct {
	bytes.Buffer
	first, most int
}

func (w *written) Write(p []byte) (int, error) {
	if w.Len() == 0 {
		w.first = len(p)
	}
	w.most = max(w.most, len(p))
	return w.Buffer.Write(p)
}

// TestListsAreEncodedInPieces holds that no list is whole in memory before it is sent, that it
// reads as if it were, and that it is compressed.
func TestListsAreEncodedInPieces(t *testing.T) {
	p := provider(&opened{}, DefaultResourceConfig())
	info, err := p.APIGroupInfo()
	require.NoError(t, err)
	list := manySchemas()
	for _, mediaType := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		t.Run(mediaType, func(t *testing.T) {
			var inPieces, whole written
			encode(t, info.NegotiatedSerializer, mediaType, list, &inPieces)
			encode(t, p.Codecs, mediaType, list, &whole)
			require.Equal(t, whole.String(), inPieces.String())
			require.Greater(t, whole.most, pieceBytes)
			require.LessOrEqual(t, inPieces.most, pieceBytes)
			require.Greater(t, inPieces.first, gzipThreshold)
		})
	}
}

// manySchemas returns 10,000 flow schemas of 1 KB.
func manySchemas() *flowcontrol.FlowSchemaList {
	list := &flowcontrol.FlowSchemaList{Items: make([]flowcontrol.FlowSchema, 10_000)}
	for i := range list.Items {
		list.Items[i].Name = fmt.Sprintf("schema-%d", i)
		list.Items[i].Annotations = map[string]string{"example.com/text": strings.Repeat("x", 1000)}
	}
	return list
}

func encode(t *testing.T, with runtime.NegotiatedSerializer, mediaType string, object runtime.Object, to io.Writer) {
	t.Helper()
	info, ok := runtime.SerializerInfoForMediaType(with.SupportedMediaTypes(), mediaType)
	require.True(t, ok)
	require.NoError(t, with.EncoderForVersion(info.Serializer, flowcontrolv1.SchemeGroupVersion).Encode(object, to))
}
