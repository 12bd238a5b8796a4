package badrequest

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apiserver/pkg/registry/rest"
)

// merged returns an update by a strategic merge patch of an object with a condition
// and a finalizer.
func merged(patch string) rest.UpdatedObjectInfo {
	const old = `{"metadata":{"finalizers":["example.org/a"]},"spec":{"matchingPrecedence":5},"status":{"conditions":[{"type":"A","status":"True"}]}}`
	return rest.DefaultUpdatedObjectInfo(&flowcontrolv1.FlowSchema{}, func(_ context.Context, object, _ runtime.Object) (runtime.Object, error) {
		changed, err := strategicpatch.StrategicMergePatch([]byte(old), []byte(patch), flowcontrolv1.FlowSchema{})
		if err != nil {
			return nil, err
		}
		return object, json.Unmarshal(changed, object)
	})
}

func TestInvalidPatchesAreBadRequests(t *testing.T) {
	for name, patch := range map[string]string{
		"an unknown directive":                `{"spec":{"$patch":"dance"}}`,
		"a directive that no list has":        `{"status":{"conditions":[{"$patch":"merge"}]}}`,
		"an order of other items":             `{"metadata":{"$setElementOrder/finalizers":["x"],"finalizers":["y"]}}`,
		"an order that is not a list":         `{"metadata":{"$setElementOrder/finalizers":7}}`,
		"an item of another type":             `{"metadata":{"finalizers":[7]}}`,
		"a condition without its type":        `{"status":{"conditions":[{"status":"True"}]}}`,
		"a condition whose type is an object": `{"status":{"conditions":[{"type":{}}]}}`,
		"keys that are objects":               `{"metadata":{"$retainKeys":[{}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			object, err := Update(merged(patch)).UpdatedObject(t.Context(), &flowcontrolv1.FlowSchema{})
			require.True(t, apierrors.IsBadRequest(err), "%v", err)
			require.Nil(t, object)
		})
	}
	object, err := Update(merged(`{"metadata":{"finalizers":["example.org/b"]}}`)).UpdatedObject(t.Context(), &flowcontrolv1.FlowSchema{})
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"example.org/a", "example.org/b"}, object.(*flowcontrolv1.FlowSchema).Finalizers)
}

func TestOtherPanicsContinue(t *testing.T) {
	broken := rest.DefaultUpdatedObjectInfo(&flowcontrolv1.FlowSchema{}, func(context.Context, runtime.Object, runtime.Object) (runtime.Object, error) {
		panic("a bug in the server")
	})
	require.PanicsWithValue(t, "a bug in the server", func() {
		_, _ = Update(broken).UpdatedObject(t.Context(), &flowcontrolv1.FlowSchema{})
	})
}

func TestNumbersBeyond32BitsAreBadRequests(t *testing.T) {
	const strategic, apply, merge = "application/strategic-merge-patch+json", "application/apply-patch+yaml", "application/merge-patch+json"
	for _, test := range []struct {
		name, contentType, body string
		wantErr                 string // empty: the request is passed on
	}{
		{"the maximum and the minimum", strategic, `{"spec":{"a":2147483647,"b":-2147483648}}`, ""},
		{"one above the maximum", strategic, `{"spec":{"limited":{"shares":2147483648}}}`, "spec.limited.shares: Invalid value"},
		{"one below the minimum", strategic, `{"spec":{"list":[1,{"a":-2147483649}]}}`, "spec.list[1].a: Invalid value"},
		{"in the status", strategic + "; charset=utf-8", `{"status":{"a":99999999999}}`, "status.a"},
		{"in an apply as JSON", apply, `{"spec":{"a":99999999999,"b":99999999999}}`, "[spec.a"},
		{"in an apply as YAML", apply, "spec:\n  a: 0xFFFFFFFFF\n", "spec.a"},
		{"in metadata, which has 64-bit fields", strategic, `{"metadata":{"generation":99999999999}}`, ""},
		{"in a merge patch, which the library rejects", merge, `{"spec":{"a":99999999999}}`, ""},
		{"in a string", strategic, `{"spec":{"a":"99999999999"}}`, ""},
		{"a malformed patch", strategic, `{"spec":{"a":99999999999}`, ""},
		{"a patch that is not an object", apply, `- 99999999999`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			seen, err := serve(t, "patch", "fieldManager=me", test.contentType, test.body)
			requireRejected(t, test.wantErr, err)
			if test.wantErr == "" {
				require.Equal(t, test.body, seen)
				return
			}
			require.ErrorContains(t, err, "must be a number between -2147483648 and 2147483647")
		})
	}
}
