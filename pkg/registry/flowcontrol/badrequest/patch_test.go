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

// merged is an update by a strategic merge patch of an object with a condition
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

func TestPatchesThatMakeNoSenseAreBadRequests(t *testing.T) {
	for name, patch := range map[string]string{
		"an unknown directive":                `{"spec":{"$patch":"dance"}}`,
		"a directive that no list has":        `{"status":{"conditions":[{"$patch":"merge"}]}}`,
		"an order of other items":             `{"metadata":{"$setElementOrder/finalizers":["x"],"finalizers":["y"]}}`,
		"an order that is none":               `{"metadata":{"$setElementOrder/finalizers":7}}`,
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

func TestOtherPanicsGoOn(t *testing.T) {
	broken := rest.DefaultUpdatedObjectInfo(&flowcontrolv1.FlowSchema{}, func(context.Context, runtime.Object, runtime.Object) (runtime.Object, error) {
		panic("a fault of the server")
	})
	require.PanicsWithValue(t, "a fault of the server", func() {
		_, _ = Update(broken).UpdatedObject(t.Context(), &flowcontrolv1.FlowSchema{})
	})
}
