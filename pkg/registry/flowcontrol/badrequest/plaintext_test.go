package badrequest

import (
	"bytes"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	internalscheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/gosyntax"
)

// The errors are the library's, for bodies, patches and options.
func TestNoErrorOfTheLibraryShowsGoSyntax(t *testing.T) {
	scheme := install.NewScheme()
	decoder := serializer.NewCodecFactory(scheme).UniversalDeserializer()
	body := func(text string) func() error {
		return func() error {
			_, _, err := decoder.Decode([]byte(text), nil, nil)
			return err
		}
	}
	schemaWith := func(fields string) func() error {
		return body(`{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", ` + fields + `}`)
	}
	merge := func(patch map[string]any) func() error {
		return func() error {
			meta, err := strategicpatch.NewPatchMetaFromStruct(flowcontrolv1.FlowSchema{})
			require.NoError(t, err)
			original := map[string]any{"status": map[string]any{"conditions": []any{map[string]any{"type": "Dangling"}}}}
			merged, err := strategicpatch.StrategicMergeMapPatchUsingLookupPatchMeta(original, patch, meta)
			if err != nil {
				return err
			}
			err = runtime.DefaultUnstructuredConverter.FromUnstructured(merged, &flowcontrolv1.FlowSchema{})
			require.Error(t, err)
			invalid := field.Invalid(field.NewPath("patch"), "map[spec:map[a:\"b\"]]", err.Error()) // as the library does
			return apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{invalid})
		}
	}
	of := func(name string, value any) map[string]any { return map[string]any{name: value} }
	options := func(query string) func() error {
		return func() error {
			values, err := url.ParseQuery(query)
			require.NoError(t, err)
			return internalscheme.ParameterCodec.DecodeParameters(values, metav1.SchemeGroupVersion, &internalversion.ListOptions{})
		}
	}
	for _, test := range []struct {
		name string
		fail func() error
		want string
	}{
		{"a number as a version", body(`{"apiVersion": 1}`), "apiVersion: must be a string, not a number"},
		{"an object as a key", body("? {a: b}\n: c\n"), "yaml: invalid map key: must be a string"},
		{"a list as a key", body("? [a]\n: c\n"), "yaml: invalid map key: must be a string"},
		{"a patch with a directive that is a number", merge(of("status", of("$patch", int64(7)))), "$patch must be delete, merge or replace"},
		{"a list as an object", body(`[]`), "couldn't get version/kind; json parse error: must be an object, not a list"},
		{"a string as a number", schemaWith(`"spec": {"matchingPrecedence": "x"}`), "spec.matchingPrecedence: must be an integer of 32 bits, not a string"},
		{"a fraction as an integer", schemaWith(`"spec": {"matchingPrecedence": 1.5}`), "spec.matchingPrecedence: must be an integer of 32 bits, not a number"},
		{"a number as a string of the API", schemaWith(`"spec": {"distinguisherMethod": {"type": 5}}`), "spec.distinguisherMethod.type: must be a string, not a number"},
		{"an object as a list", schemaWith(`"spec": {"rules": {}}`), "spec.rules: must be a list, not an object"},
		{"a list as an object of the API", schemaWith(`"spec": []`), "spec: must be an object, not a list"},
		{"a string as labels", schemaWith(`"metadata": {"labels": "x"}`), "metadata.labels: must be an object, not a string"},
		{"a string as a truth", schemaWith(`"spec": {"rules": [{"resourceRules": [{"clusterScope": "x"}]}]}`), "clusterScope: must be true or false, not a string"},
		{"no time", schemaWith(`"metadata": {"creationTimestamp": "x"}`), "must be a time such as 2006-01-02T15:04:05Z"},
		{"YAML", body("apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nspec: {matchingPrecedence: x}\n"), "spec.matchingPrecedence: must be an integer of 32 bits, not a string"},
		{"a patch with a string as a number", merge(of("spec", of("matchingPrecedence", "x"))), "patch: Invalid value: must be an integer of 32 bits"},
		{"a patch with an object as a list", merge(of("spec", of("rules", of("a", "b")))), "patch: Invalid value: must be a list, not an object"},
		{"a patch with a list as an object", merge(of("spec", []any{"a"})), "patch: Invalid value: must be an object, not a list"},
		{"a patch with a string as labels", merge(of("metadata", of("labels", "x"))), "patch: Invalid value: must be an object, not a string"},
		{"a patch without merge key", merge(of("status", of("conditions", []any{of("reason", "a")}))), "each item of the list must have the field type"},
		{"a patch with another directive", merge(of("status", of("$patch", "x"))), "$patch must be delete, merge or replace"},
		{"a patch with another directive in a list", merge(of("status", of("conditions", []any{map[string]any{"type": "Dangling", "$patch": "x"}}))), "$patch must be delete, merge or replace"},
		{"a patch with a list of several types", merge(of("status", of("conditions", []any{of("type", "a"), int64(5)}))), "all items of a list must have one type"},
		{"a patch in another order", merge(of("status", map[string]any{"conditions": []any{of("type", "b"), of("type", "a")}, "$setElementOrder/conditions": []any{of("type", "a"), of("type", "b")}})), "the items of the patch must be in the order of $setElementOrder"},
		{"a patch with an order that is no list", merge(of("status", of("$setElementOrder/conditions", "x"))), "must be a list, not a string"},
		{"a limit that is no number", options("limit=x"), `"x" must be an integer`},
		{"a limit that is too large", options("limit=99999999999999999999"), `"99999999999999999999" must be an integer of 64 bits`},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.fail()
			require.Error(t, err)
			plain := newPlainTexts(scheme).of(err.Error())
			require.Empty(t, gosyntax.Find(plain), "%s", plain)
			require.Contains(t, plain, test.want)
		})
	}
}

func TestAStatusIsEncodedWithoutGoSyntax(t *testing.T) {
	scheme := install.NewScheme()
	codecs := serializer.NewCodecFactory(scheme)
	text := "json: cannot unmarshal string into Go struct field FlowSchemaSpec.spec.matchingPrecedence of type int32"
	err := apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), `{"spec":{}}`, text)})
	status := err.Status()
	status.Kind, status.APIVersion = "Status", "v1"
	for _, media := range codecs.SupportedMediaTypes() {
		t.Run(media.MediaType, func(t *testing.T) {
			encoder := PlainStatuses(codecs, scheme).EncoderForVersion(media.Serializer, flowcontrolv1.SchemeGroupVersion)
			for _, encode := range []func(*bytes.Buffer) error{
				func(b *bytes.Buffer) error { return encoder.Encode(&status, b) },
				func(b *bytes.Buffer) error {
					return encoder.(runtime.EncoderWithAllocator).EncodeWithAllocator(&status, b, &runtime.Allocator{})
				},
			} {
				var encoded bytes.Buffer
				require.NoError(t, encode(&encoded))
				object, _, err := codecs.UniversalDeserializer().Decode(encoded.Bytes(), nil, nil)
				require.NoError(t, err)
				got := object.(*metav1.Status)
				const want = `patch: Invalid value: "{\"spec\":{}}": spec.matchingPrecedence: must be an integer of 32 bits, not a string`
				require.Equal(t, ` "" is invalid: `+want, got.Message)
				require.Equal(t, want, "patch: "+got.Details.Causes[0].Message)
			}
		})
	}
	require.Contains(t, status.Message, text, "the error itself stays")
}
