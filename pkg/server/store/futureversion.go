//go:build !k8s0.35

package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/storage"
)

// futureVersion returns the error of a list. A resource version from the future becomes 504, as it is
// without resourceVersionMatch=Exact; the library before 0.34 would answer 500. This file can go when
// go.mod requires a later one.
func (s clientStore) futureVersion(ctx context.Context, options storage.ListOptions, err error) error {
	if !errors.Is(err, rpctypes.ErrFutureRev) {
		return err
	}
	version := options.ResourceVersion
	if token := options.Predicate.Continue; token != "" {
		_, revision, err := storage.DecodeContinue(token, "/")
		if err != nil {
			return err
		}
		version = strconv.FormatInt(revision, 10)
	}
	if err := s.awaitVersion(ctx, version); err != nil {
		return err
	}
	return apierrors.NewTimeoutError(fmt.Sprintf("resource version %s was reached only after the list had failed", version), 1)
}
