package badrequest

import (
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// PlainStatuses returns a serializer that shows no Go syntax in a Status. The library and
// its decoders name Go types in errors about bodies, patches and options. The scheme has
// the types of the bodies.
func PlainStatuses(serializer runtime.NegotiatedSerializer, scheme *runtime.Scheme) runtime.NegotiatedSerializer {
	return plainSerializer{serializer, newPlainTexts(scheme)}
}

type plainSerializer struct {
	runtime.NegotiatedSerializer
	texts plainTexts
}

// EncoderForVersion implements runtime.NegotiatedSerializer.
func (s plainSerializer) EncoderForVersion(serializer runtime.Encoder, version runtime.GroupVersioner) runtime.Encoder {
	return plainEncoder{s.NegotiatedSerializer.EncoderForVersion(serializer, version), s.texts}
}

type plainEncoder struct {
	runtime.Encoder
	texts plainTexts
}

var _ runtime.EncoderWithAllocator = plainEncoder{}

// Encode implements runtime.Encoder.
func (e plainEncoder) Encode(object runtime.Object, w io.Writer) error {
	return e.Encoder.Encode(e.texts.ofStatus(object), w)
}

// EncodeWithAllocator implements runtime.EncoderWithAllocator.
func (e plainEncoder) EncodeWithAllocator(object runtime.Object, w io.Writer, memory runtime.MemoryAllocator) error {
	if encoder, ok := e.Encoder.(runtime.EncoderWithAllocator); ok {
		return encoder.EncodeWithAllocator(e.texts.ofStatus(object), w, memory)
	}
	return e.Encode(object, w)
}

// ofStatus returns the object, without Go syntax if it is a Status.
func (p plainTexts) ofStatus(object runtime.Object) runtime.Object {
	status, ok := object.(*metav1.Status)
	if !ok || status.Status != metav1.StatusFailure {
		return object
	}
	status = status.DeepCopy()
	status.Message = p.of(status.Message)
	if status.Details != nil {
		for i := range status.Details.Causes {
			cause := &status.Details.Causes[i]
			cause.Message = p.of(cause.Message)
		}
	}
	return status
}
