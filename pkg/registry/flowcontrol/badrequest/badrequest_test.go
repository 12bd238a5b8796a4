package badrequest

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/structuredmerge"
)

func TestOnlyClientErrorsBecomeBadRequests(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{}, "name", errors.New("changed"))
	for _, test := range []struct {
		name  string
		given error
		code  int32
	}{
		{"no error", nil, 0},
		{"invalid applied object", errors.New("failed to create typed patch object (x): .spec.y: field not declared in schema"), http.StatusBadRequest},
		{"stored object with duplicate items in a set", structuredmerge.ValidationErrors{{Path: ".spec.rules[0]", ErrorMessage: "duplicate entries for key"}}, http.StatusUnprocessableEntity},
		{"invalid stored object", errors.New("failed to create typed live object (x)"), 0},
		{"error that has a status", conflict, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			info := Update(rest.DefaultUpdatedObjectInfo(&metav1.PartialObjectMetadata{}, failing(test.given)))
			object, err := info.UpdatedObject(t.Context(), &metav1.PartialObjectMetadata{})
			requireCode(t, test.code, test.given, err)
			require.Equal(t, err == nil, object != nil)
		})
	}
}

func TestInvalidVersionsOfWritesAreBadRequests(t *testing.T) {
	for version, code := range map[string]int32{"": 0, "5": 0, "invalid": http.StatusBadRequest} {
		_, err := Update(rest.DefaultUpdatedObjectInfo(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version}})).UpdatedObject(t.Context(), nil)
		if code == 0 {
			require.NoError(t, err, version)
			continue
		}
		require.True(t, apierrors.IsBadRequest(err), "%s: %v", version, err)
	}
}

func TestUpdateKeepsThePreconditions(t *testing.T) {
	object := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{UID: "u"}}
	require.EqualValues(t, "u", *Update(rest.DefaultUpdatedObjectInfo(object)).Preconditions().UID)
}

func requireCode(t *testing.T, code int32, given, err error) {
	t.Helper()
	if code == 0 {
		require.Equal(t, given, err)
		return
	}
	var status apierrors.APIStatus
	require.ErrorAs(t, err, &status)
	require.Equal(t, code, status.Status().Code)
	require.Equal(t, given.Error(), status.Status().Message)
}

func failing(err error) rest.TransformFunc {
	return func(_ context.Context, object, _ runtime.Object) (runtime.Object, error) { return object, err }
}
