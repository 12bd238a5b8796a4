package storage

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
)

// optionsGetter has the storages of another, guarded.
type optionsGetter struct {
	generic.RESTOptionsGetter
	reads  *Reads
	cached func(schema.GroupResource) bool
}

var _ generic.RESTOptionsGetter = optionsGetter{}

// Options returns a RESTOptionsGetter with the Decorator for the resources that have a watch
// cache. cached says which do. The result replaces the RESTOptionsGetter in the Config of a
// server.
func (r *Reads) Options(of generic.RESTOptionsGetter, cached func(schema.GroupResource) bool) generic.RESTOptionsGetter {
	return optionsGetter{of, r, cached}
}

// GetRESTOptions implements generic.RESTOptionsGetter.
func (g optionsGetter) GetRESTOptions(resource schema.GroupResource, example runtime.Object) (generic.RESTOptions, error) {
	options, err := g.RESTOptionsGetter.GetRESTOptions(resource, example)
	if err == nil && g.cached(resource) {
		options.Decorator = g.reads.Decorator(Layers{})
	}
	return options, err
}
