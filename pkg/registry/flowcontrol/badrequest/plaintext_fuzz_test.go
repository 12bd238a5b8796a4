package badrequest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/gosyntax"
)

// FuzzDecodersShowNoGoSyntax decodes a text as the body of a create and as a strategic merge
// patch: no error shows Go syntax that is not in the text.
func FuzzDecodersShowNoGoSyntax(f *testing.F) {
	const head = `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", `
	for _, text := range []string{
		`[]`, `{}`, `"x"`, `- a`, head + `"spec": {"matchingPrecedence": "x"}}`, head + `"spec": {"rules": [{"subjects": [5]}]}}`,
		head + `"metadata": {"labels": {"a": 5}, "creationTimestamp": "x", "managedFields": {}}}`,
		`{"status": {"conditions": [{"reason": "a"}, 5], "$setElementOrder/conditions": [1]}}`, `{"status": {"$patch": "x"}}`,
		`{"status": {"conditions": [{"type": "Dangling", "$patch": []}]}, "metadata": {"$retainKeys": 5}}`,
		`{"status": {"$deleteFromPrimitiveList/conditions": ["a"]}, "metadata": {"finalizers": [[]]}}`,
	} {
		f.Add(text)
	}
	scheme := install.NewScheme()
	decoder, texts := serializer.NewCodecFactory(scheme).UniversalDeserializer(), newPlainTexts(scheme)
	f.Fuzz(func(t *testing.T, text string) {
		if gosyntax.Find(strings.ReplaceAll(text, `"`, " ")) != "" {
			return
		}
		_, _, err := decoder.Decode([]byte(text), nil, nil)
		for _, err := range []error{err, mergeError(t, text)} {
			if err != nil {
				plain := texts.of(err.Error())
				require.Empty(t, gosyntax.Find(plain), "%s", plain)
			}
		}
	})
}

// mergeError returns the error of a strategic merge patch, none if the library panics, which update
// answers.
func mergeError(t *testing.T, text string) (err error) {
	t.Helper()
	defer func() {
		if reason := recover(); reason != nil {
			require.True(t, isUnhashable(reason), "%v", reason)
		}
	}()
	var patch map[string]any
	if json.Unmarshal([]byte(text), &patch) != nil {
		return nil
	}
	meta, err := strategicpatch.NewPatchMetaFromStruct(flowcontrolv1.FlowSchema{})
	require.NoError(t, err)
	original := map[string]any{
		"metadata": map[string]any{"finalizers": []any{"a"}, "labels": map[string]any{"a": "b"}},
		"status":   map[string]any{"conditions": []any{map[string]any{"type": "Dangling"}}},
	}
	merged, err := strategicpatch.StrategicMergeMapPatchUsingLookupPatchMeta(original, patch, meta)
	if err != nil {
		return err
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(merged, &flowcontrolv1.FlowSchema{})
}
