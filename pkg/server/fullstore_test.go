package server

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
)

// failingStore is a store whose writes fail with an error.
type failingStore struct {
	storage.Interface
	err error
}

func (s failingStore) Create(context.Context, string, runtime.Object, runtime.Object, uint64) error {
	return s.err
}

func (s failingStore) GuaranteedUpdate(context.Context, string, runtime.Object, bool, *storage.Preconditions, storage.UpdateFunc, runtime.Object) error {
	return s.err
}

func TestWritesToAFullStoreSayWhatToDo(t *testing.T) {
	writes := func(err error) map[string]error {
		store := explainingStore{failingStore{err: err}, embeddedRemedy}
		return map[string]error{
			"create": store.Create(t.Context(), "key", nil, nil, 0),
			"update": store.GuaranteedUpdate(t.Context(), "key", nil, false, nil, nil, nil),
		}
	}
	for name, err := range writes(rpctypes.ErrNoSpace) {
		var status apierrors.APIStatus
		require.ErrorAs(t, err, &status, name)
		require.EqualValues(t, http.StatusInternalServerError, status.Status().Code)
		require.ErrorContains(t, err, "reads and deletions go on; delete objects that are not needed, or raise --etcd-quota-backend-bytes")
		require.ErrorContains(t, err, "database space exceeded", "etcd's own words, too")
	}
	other := errors.New("other")
	for name, err := range writes(other) {
		require.Equal(t, other, err, name)
	}
}
