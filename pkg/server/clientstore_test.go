package server

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func TestAnErrorThatItsClientCausedByLeavingIsNoServerError(t *testing.T) {
	left, leave := context.WithCancel(t.Context())
	leave()
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	store := clientStore{failingStore{err: rpctypes.ErrTimeout}}
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
