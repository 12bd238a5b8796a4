//go:build !k8s0.35

package server

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// measureSizes returns the average size in bytes of the stored objects of a type, named
// resource.group, or 0 if it is not known. What a list costs depends on it. It also returns the metric
// of their total size, as kube-apiserver has it since 1.34. The caller starts the informers. This file
// can go when go.mod requires 0.34, whose library measures sizes.
func measureSizes(levels, schemas cache.SharedIndexInformer) (average func(groupResource string) int64, metrics []prometheus.Collector, err error) {
	stored := storedSizes{}
	for resource, informer := range map[string]cache.SharedIndexInformer{
		"prioritylevelconfigurations": levels, "flowschemas": schemas,
	} {
		sizes := newObjectSizes()
		stored[flowcontrol.Resource(resource).String()] = sizes
		if _, err := informer.AddEventHandler(sizes); err != nil {
			return nil, nil, err
		}
	}
	return stored.average, stored.collectors(), nil
}

// storedSizes are the sizes of the stored objects of each type, by resource.group.
type storedSizes map[string]*objectSizes

// average returns the average size of the stored objects of a type in bytes; 0 if it is
// not known.
func (s storedSizes) average(groupResource string) int64 {
	if sizes := s[groupResource]; sizes != nil {
		return sizes.mean.Load()
	}
	return 0
}

// collectors returns the metric of the total size of the objects of each type. Costs by size cannot be
// explained without it.
func (s storedSizes) collectors() (all []prometheus.Collector) {
	for groupResource, sizes := range s {
		resource, group, _ := strings.Cut(groupResource, ".")
		all = append(all, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "apiserver_resource_size_estimate_bytes",
			Help:        "[ALPHA] Size of the stored objects, as serialized",
			ConstLabels: prometheus.Labels{"group": group, "resource": resource},
		}, func() float64 { return float64(sizes.total.Load()) }))
	}
	return all
}

// objectSizes sums up the sizes of the stored objects of one type, which an informer
// tells it.
type objectSizes struct {
	total, mean atomic.Int64 // in bytes, 0 if there is no object

	mu    sync.Mutex // guards what follows
	bytes map[types.UID]int64
}

var _ cache.ResourceEventHandler = (*objectSizes)(nil)

// storedObject is an object in its stored encoding.
type storedObject interface {
	GetUID() types.UID
	// Size returns the length of the object as protobuf.
	Size() int
}

func newObjectSizes() *objectSizes { return &objectSizes{bytes: map[types.UID]int64{}} }

// OnAdd implements cache.ResourceEventHandler.
func (s *objectSizes) OnAdd(object any, _ bool) { s.set(object, true) }

// OnUpdate implements cache.ResourceEventHandler.
func (s *objectSizes) OnUpdate(_, object any) { s.set(object, true) }

// OnDelete implements cache.ResourceEventHandler.
func (s *objectSizes) OnDelete(object any) {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = tombstone.Obj
	}
	s.set(object, false)
}

func (s *objectSizes) set(object any, present bool) {
	stored, ok := object.(storedObject)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	uid := stored.GetUID()
	total := s.total.Load() - s.bytes[uid]
	delete(s.bytes, uid)
	if present {
		s.bytes[uid] = int64(stored.Size())
		total += s.bytes[uid]
	}
	s.total.Store(total)
	s.mean.Store(total / int64(max(len(s.bytes), 1)))
}
