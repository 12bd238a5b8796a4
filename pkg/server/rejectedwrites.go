package server

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
)

const (
	embeddedRemedy = "delete objects that are not needed, or raise --etcd-quota-backend-bytes and restart this server; it frees space by itself"
	externalRemedy = "free space in etcd (compact, defragment, and disarm the alarm with etcdctl), or raise its --quota-backend-bytes"
)

// explainRejectedWrites makes the errors of writes that etcd rejects, for lack of space or
// because the object is too large, say what to do. The library passes etcd's own words on,
// as an error of the server.
func (s *Server) explainRejectedWrites() {
	remedy := externalRemedy
	if s.config.EmbeddedEtcd {
		remedy = embeddedRemedy
	}
	s.generic.RESTOptionsGetter = explainingRESTOptionsGetter{s.generic.RESTOptionsGetter, remedy}
}

// explainingRESTOptionsGetter gives each resource a store that explains errors.
type explainingRESTOptionsGetter struct {
	generic.RESTOptionsGetter
	remedy string
}

var _ generic.RESTOptionsGetter = explainingRESTOptionsGetter{}

// GetRESTOptions implements generic.RESTOptionsGetter.
func (g explainingRESTOptionsGetter) GetRESTOptions(resource schema.GroupResource, example runtime.Object) (generic.RESTOptions, error) {
	options, err := g.RESTOptionsGetter.GetRESTOptions(resource, example)
	if err != nil {
		return options, err
	}
	decorate := options.Decorator
	options.Decorator = func(config *storagebackend.ConfigForResource, prefix string, keyFunc func(runtime.Object) (string, error),
		newFunc, newListFunc func() runtime.Object, attributes storage.AttrFunc, trigger storage.IndexerFuncs, indexers *cache.Indexers,
	) (storage.Interface, factory.DestroyFunc, error) {
		store, destroy, err := decorate(config, prefix, keyFunc, newFunc, newListFunc, attributes, trigger, indexers)
		return explainingStore{store, g.remedy}, destroy, err
	}
	return options, nil
}

// explainingStore explains why etcd rejects writes.
type explainingStore struct {
	storage.Interface
	remedy string
}

var _ storage.Interface = explainingStore{}

// Create implements storage.Interface.
func (s explainingStore) Create(ctx context.Context, key string, object, out runtime.Object, ttl uint64) error {
	return s.explain(s.Interface.Create(ctx, key, object, out, ttl))
}

// GuaranteedUpdate implements storage.Interface.
func (s explainingStore) GuaranteedUpdate(ctx context.Context, key string, destination runtime.Object, ignoreNotFound bool,
	preconditions *storage.Preconditions, tryUpdate storage.UpdateFunc, cached runtime.Object,
) error {
	return s.explain(s.Interface.GuaranteedUpdate(ctx, key, destination, ignoreNotFound, preconditions, tryUpdate, cached))
}

func (s explainingStore) explain(err error) error {
	if tooLarge(err) {
		return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("etcd stores at most 1.5 MiB in an object, unless its --max-request-bytes is larger; make the object smaller: %v", err))
	}
	if !errors.Is(err, rpctypes.ErrNoSpace) {
		return err
	}
	return apierrors.NewInternalError(fmt.Errorf("etcd rejects writes because its database reached the quota; reads and deletions go on; %s: %w", s.remedy, err))
}

// tooLarge reports whether etcd rejected a request for its size, or its client did, which
// sends 2 MiB at most.
func tooLarge(err error) bool {
	return errors.Is(err, rpctypes.ErrRequestTooLarge) ||
		status.Code(err) == codes.ResourceExhausted && strings.Contains(err.Error(), "larger than max")
}
