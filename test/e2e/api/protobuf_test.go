package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	generated "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/scheme"
)

// wireScheme returns a scheme with the kinds of requests and responses.
func wireScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(generated.AddToScheme(scheme))
	utilruntime.Must(authenticationv1.AddToScheme(scheme))
	utilruntime.Must(authorizationv1.AddToScheme(scheme))
	utilruntime.Must(metav1.AddMetaToScheme(scheme))
	metav1.AddToGroupVersion(scheme, metav1.SchemeGroupVersion)
	return scheme
}

// fromProtobuf converts a protobuf body to JSON, and a stream to consecutive
// documents.
func fromProtobuf(body []byte, stream bool) ([]byte, error) {
	if !stream {
		object, _, err := serializer.NewCodecFactory(wireScheme()).UniversalDeserializer().Decode(body, nil, nil)
		if err != nil {
			return nil, err
		}
		return json.Marshal(object)
	}
	raw := protobuf.NewRawSerializer(wireScheme(), wireScheme())
	decoder := streaming.NewDecoder(protobuf.LengthDelimitedFramer.NewFrameReader(io.NopCloser(bytes.NewReader(body))), raw)
	var documents []byte
	for {
		var event metav1.WatchEvent
		_, _, err := decoder.Decode(nil, &event)
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, err
		}
		object, err := fromProtobuf(event.Object.Raw, false)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(map[string]any{"type": event.Type, "object": json.RawMessage(object)})
		if err != nil {
			return nil, err
		}
		documents = append(append(documents, text...), '\n')
	}
}

// toProtobuf converts a v1 object from JSON to protobuf.
func toProtobuf(object string) string {
	codecs := serializer.NewCodecFactory(wireScheme())
	decoded, kind, err := codecs.UniversalDeserializer().Decode([]byte(object), nil, nil)
	utilruntime.Must(err)
	info, _ := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	content, err := runtime.Encode(codecs.EncoderForVersion(info.Serializer, kind.GroupVersion()), decoded)
	utilruntime.Must(err)
	return string(content)
}
