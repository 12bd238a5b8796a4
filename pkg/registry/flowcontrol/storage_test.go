package flowcontrol

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// nothing is a store without objects.
type nothing struct{ storage.Interface }

func (nothing) Versioner() storage.Versioner { return storage.APIObjectVersioner{} }

func (nothing) GuaranteedUpdate(_ context.Context, _ string, into runtime.Object, _ bool, _ *storage.Preconditions, update storage.UpdateFunc, _ runtime.Object) error {
	created, _, err := update(into.DeepCopyObject(), storage.ResponseMeta{})
	if err == nil {
		created.(*flowcontrol.FlowSchema).DeepCopyInto(into.(*flowcontrol.FlowSchema))
	}
	return err
}

// An apply may create an object, which is judged as a new one, but no status of an object that does not
// exist.
func TestAnApplyCreatesObjectsAlone(t *testing.T) {
	kind, judged := flowSchemas(clock.RealClock{}, nil), 0
	kind.advice.written = func(_ context.Context, written, old *flowcontrol.FlowSchema, _ lint.Reader) []lint.Finding {
		require.Equal(t, "valid", written.Name)
		require.Nil(t, old)
		judged++
		return nil
	}
	schemas, status, err := open(kind, install.NewScheme(), &opened{store: nothing{}}, rest.DeleteDependents, func() lint.Reader { return nil })
	require.NoError(t, err)
	sent := validSchema()
	sent.ResourceVersion = ""
	ctx := request.WithNamespace(t.Context(), metav1.NamespaceNone)
	for storage, allowed := range map[rest.Updater]bool{schemas: true, status: false} {
		_, created, err := storage.Update(ctx, "valid", rest.DefaultUpdatedObjectInfo(sent), rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc, true, &metav1.UpdateOptions{})
		require.Equal(t, !allowed, apierrors.IsNotFound(err), err)
		require.Equal(t, allowed, created, err)
	}
	require.Equal(t, 1, judged)
}
