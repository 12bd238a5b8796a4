package store

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
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
		store := etcdStore{failingStore{err: err}, statuses{EmbeddedRemedy}}
		return map[string]error{
			"create": store.Create(t.Context(), "key", nil, nil, 0),
			"update": store.GuaranteedUpdate(t.Context(), "key", nil, false, nil, nil, nil),
		}
	}
	for name, err := range writes(rpctypes.ErrNoSpace) {
		var answer apierrors.APIStatus
		require.ErrorAs(t, err, &answer, name)
		require.EqualValues(t, http.StatusInternalServerError, answer.Status().Code)
		require.ErrorContains(t, err, "reads and deletions go on; delete objects that are not needed, or raise --etcd-quota-backend-bytes")
		require.ErrorContains(t, err, "database space exceeded", "etcd's own words, too")
	}
	for _, cause := range []error{rpctypes.ErrRequestTooLarge, status.Error(codes.ResourceExhausted, "trying to send message larger than max (2500000 vs. 2097152)")} {
		for name, err := range writes(cause) {
			require.True(t, apierrors.IsRequestEntityTooLargeError(err), "%s: %v", name, err)
			require.ErrorContains(t, err, "make the object smaller")
		}
	}
	other := errors.New("other")
	for name, err := range writes(other) {
		require.Equal(t, other, err, name)
	}
}
