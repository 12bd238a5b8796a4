package install_test

import (
	"bytes"
	"math/rand"
	"testing"

	"github.com/google/go-cmp/cmp"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	"k8s.io/apimachinery/pkg/api/equality"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	flowcontrolfuzzer "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/fuzzer"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/validation"
)

func FuzzDecodeJSON(f *testing.F) {
	f.Add([]byte(`{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","spec":{"matchingPrecedence":1e400}}`))
	f.Add([]byte(`{"apiVersion":"flowcontrol.apiserver.k8s.io/v1beta3","kind":"PriorityLevelConfiguration","spec":{"limited":null}}`))
	fuzzDecode(f, runtime.ContentTypeJSON)
}

func FuzzDecodeYAML(f *testing.F) {
	f.Add([]byte("apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nspec: &a\n  rules: [*a]\n"))
	fuzzDecode(f, runtime.ContentTypeYAML)
}

func FuzzDecodeProtobuf(f *testing.F) {
	f.Add([]byte("k8s\x00\x0a\xff\xff\xff\xff\x0f"))
	fuzzDecode(f, runtime.ContentTypeProtobuf)
}

func FuzzDecodeCBOR(f *testing.F) {
	f.Add([]byte("\xd9\xd9\xf7\xa1DkindJFlowSchema"))
	f.Add([]byte("\xd9\xd9\xf7\x9b\xff\xff\xff\xff\xff\xff\xff\xff"))
	fuzzDecode(f, runtime.ContentTypeCBOR)
}

// fuzzDecode checks that decoding, strict decoding and validation never panic, that a decoded
// object keeps its spec in each version, and that encoding it there again gives the same.
func fuzzDecode(f *testing.F, mediaType string) {
	f.Helper()
	scheme := install.NewScheme()
	// As the server does with the feature gate CBORServingAndStorage.
	codecs := serializer.NewCodecFactory(scheme, serializer.WithSerializer(cbor.NewSerializerInfo))
	info, ok := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), mediaType)
	if !ok {
		f.Fatalf("no serializer of %s", mediaType)
	}
	filler := fuzzer.FuzzerFor(fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, flowcontrolfuzzer.Funcs), rand.NewSource(1), codecs)
	for range 5 {
		for _, hub := range []runtime.Object{&flowcontrol.FlowSchema{}, &flowcontrol.PriorityLevelConfiguration{}, &flowcontrol.FlowSchemaList{}} {
			filler.Fill(hub)
			for _, version := range scheme.PrioritizedVersionsForGroup(flowcontrol.GroupName) {
				data, err := runtime.Encode(codecs.EncoderForVersion(info.Serializer, version), hub)
				if err != nil {
					f.Fatal(err)
				}
				f.Add(data)
			}
		}
	}

	protobuf, _ := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	codecOf := func(version schema.GroupVersion) runtime.Codec {
		return codecs.CodecForVersions(protobuf.Serializer, protobuf.Serializer, version, flowcontrol.SchemeGroupVersion)
	}
	wire := []runtime.Codec{codecOf(flowcontrolv1.SchemeGroupVersion), codecOf(flowcontrolv1beta3.SchemeGroupVersion)}
	lenient := codecs.DecoderToVersion(info.Serializer, flowcontrol.SchemeGroupVersion)
	strict := lenient
	if info.StrictSerializer != nil {
		strict = codecs.DecoderToVersion(info.StrictSerializer, flowcontrol.SchemeGroupVersion)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		strictObject, _, strictErr := strict.Decode(data, nil, nil)
		object, kind, err := lenient.Decode(data, nil, nil)
		if err != nil {
			if strictErr == nil {
				t.Fatalf("strict decoding took %T, lenient decoding says: %v", strictObject, err)
			}
			return
		}
		validate(object)
		// The internal version is never serialized.
		if kind.Version == runtime.APIVersionInternal || kind.Group != flowcontrol.GroupName {
			return
		}
		for _, codec := range wire {
			requireSpecSurvives(t, codec, object)
		}
	})
}

// validate validates the object, or the items of a list, and ignores the errors.
func validate(object runtime.Object) {
	switch object := object.(type) {
	case *flowcontrol.FlowSchema:
		validation.ValidateFlowSchema(object)
		validation.ValidateFlowSchemaStatus(object)
	case *flowcontrol.PriorityLevelConfiguration:
		validation.ValidatePriorityLevelConfiguration(object)
		validation.ValidatePriorityLevelConfigurationStatus(object)
	case *flowcontrol.FlowSchemaList:
		for i := range object.Items {
			validate(&object.Items[i])
		}
	case *flowcontrol.PriorityLevelConfigurationList:
		for i := range object.Items {
			validate(&object.Items[i])
		}
	}
}

func requireSpecSurvives(t *testing.T, codec runtime.Codec, object runtime.Object) {
	t.Helper()
	want := specOf(object)
	if want == nil {
		return
	}
	data, err := runtime.Encode(codec, object)
	if err != nil {
		t.Fatalf("what was decoded cannot be encoded: %v", err)
	}
	again, err := runtime.Decode(codec, data)
	if err != nil {
		t.Fatalf("what was encoded cannot be decoded: %v", err)
	}
	if got := specOf(again); !equality.Semantic.DeepEqual(want, got) {
		t.Fatalf("spec before and after it was stored (-before +after):\n%s", cmp.Diff(want, got))
	}
	repeated, err := runtime.Encode(codec, again)
	if err != nil {
		t.Fatalf("what was stored cannot be encoded: %v", err)
	}
	if !bytes.Equal(data, repeated) {
		t.Fatalf("encoded first and once more (-first +once more):\n%s", cmp.Diff(data, repeated))
	}
}

func specOf(object runtime.Object) any {
	switch object := object.(type) {
	case *flowcontrol.FlowSchema:
		return object.Spec
	case *flowcontrol.PriorityLevelConfiguration:
		return object.Spec
	}
	return nil
}
