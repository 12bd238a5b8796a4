package flowcontrol

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// ownedBy returns a schema of n owners, all of them controllers, of a kind.
func ownedBy(n int, kind string) *flowcontrol.FlowSchema {
	schema := validSchema()
	for i := range n {
		schema.OwnerReferences = append(schema.OwnerReferences, metav1.OwnerReference{APIVersion: "v1", Kind: kind, Name: fmt.Sprint("owner-", i), UID: "u", Controller: new(true)})
	}
	return schema
}

// allocated returns the bytes that a call allocates.
func allocated(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestTheErrorOfManyControllersIsShort: the library repeats all owners for each controller. 2,000 gave
// a message of 500 MB.
func TestTheErrorOfManyControllersIsShort(t *testing.T) {
	const n, enough = 1000, 20 << 20
	const says = "metadata.ownerReferences: Invalid value: 1000 references: must contain at most one reference with `controller` set to true, not 1000"
	ctx := request.WithNamespace(t.Context(), metav1.NamespaceNone)
	kind := flowSchemas(clock.RealClock{}, nil)
	schemas, _, err := open(kind, install.NewScheme(), &opened{store: nothing{}}, rest.DeleteDependents, func() lint.Reader { return nil })
	require.NoError(t, err)
	sent := ownedBy(n, "ConfigMap")
	t.Run("in a create", func(t *testing.T) {
		require.Less(t, allocated(func() { _, err = schemas.Create(ctx, sent.DeepCopy(), rest.ValidateAllObjectFunc, &metav1.CreateOptions{}) }), uint64(enough))
		require.True(t, apierrors.IsInvalid(err), "%v", err)
		require.ErrorContains(t, err, says)
	})
	t.Run("in an update", func(t *testing.T) {
		require.Less(t, allocated(func() {
			_, _, err = schemas.Update(ctx, "valid", rest.DefaultUpdatedObjectInfo(sent.DeepCopy()), rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc, true, &metav1.UpdateOptions{})
		}), uint64(enough))
		require.True(t, apierrors.IsInvalid(err), "%v", err)
		require.ErrorContains(t, err, says)
	})
}

// TestManyInvalidOwnersAreShownInStepsOfTheirNumber: each was compared with each, and each removed its
// text from the whole message.
func TestManyInvalidOwnersAreShownInStepsOfTheirNumber(t *testing.T) {
	forSpec, _ := newStrategies(flowSchemas(clock.RealClock{}, nil), install.NewScheme(), rest.DeleteDependents)
	updated := ownedBy(1000, "Event")
	for i := range updated.OwnerReferences {
		updated.OwnerReferences[i].Controller = nil
	}
	err := rest.BeforeUpdate(forSpec, request.WithNamespace(t.Context(), metav1.NamespaceNone), updated, validSchema())
	require.Less(t, allocated(func() { err = ownersInJSON(err) }), uint64(20<<20))
	require.ErrorContains(t, err, `{"apiVersion":"v1","kind":"Event","name":"owner-999","uid":"u"}: /v1, Kind=Event is disallowed`)
	require.NotContains(t, err.Error(), "OwnerReference{")
}
