package store

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage"
)

func TestAnErrorThatItsClientCausedByLeavingIsNoServerError(t *testing.T) {
	left, leave := context.WithCancel(t.Context())
	leave()
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	store := clientStore{Interface: failingStore{err: rpctypes.ErrTimeout}}
	for name, write := range map[string]func(context.Context) error{
		"create": func(ctx context.Context) error { return store.Create(ctx, "key", nil, nil, 0) },
		"update": func(ctx context.Context) error {
			return store.GuaranteedUpdate(ctx, "key", nil, false, nil, nil, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var answer apierrors.APIStatus
			require.ErrorAs(t, write(left), &answer)
			require.EqualValues(t, 499, answer.Status().Code, "as nginx counts it")
			require.Equal(t, rpctypes.ErrTimeout, write(t.Context()))
			require.Equal(t, rpctypes.ErrTimeout, write(late), "a deadline is another matter")
		})
	}
}

func TestOnlyWhatTheClientCausedIsABadRequest(t *testing.T) {
	_, invalidVersion := storage.APIObjectVersioner{}.ParseResourceVersion("invalid")
	for _, test := range []struct {
		name  string
		given error
		bad   bool
	}{
		{"no error", nil, false},
		{"an invalid resourceVersion", invalidVersion, true},
		{"a resourceVersion in an object that is created", storage.ErrResourceVersionSetOnCreate, true},
		{"an error of the store", errors.New("disk failure"), false},
		{"an error that has a status", apierrors.NewConflict(schema.GroupResource{}, "name", errors.New("changed")), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := clientStatus(t.Context(), test.given)
			require.Equal(t, test.bad, apierrors.IsBadRequest(got))
			if !test.bad {
				require.Equal(t, test.given, got)
			}
		})
	}
}
