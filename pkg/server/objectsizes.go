package server

import (
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// storedSizes are the sizes of the stored objects of each type, by resource.group. What a
// list costs depends on them.
type storedSizes map[string]*objectSizes

// newStoredSizes returns the sizes of the objects of the informers, which the caller starts.
func newStoredSizes(levels, schemas cache.SharedIndexInformer) (storedSizes, error) {
	stored := storedSizes{}
	for resource, informer := range map[string]cache.SharedIndexInformer{
		"prioritylevelconfigurations": levels, "flowschemas": schemas,
	} {
		sizes := newObjectSizes()
		stored[flowcontrol.Resource(resource).String()] = sizes
		if _, err := informer.AddEventHandler(sizes); err != nil {
			return nil, err
		}
	}
	return stored, nil
}

// average returns the average size of the stored objects of a type in bytes; 0 if it is
// not known.
func (s storedSizes) average(groupResource string) int64 {
	if sizes := s[groupResource]; sizes != nil {
		return sizes.mean.Load()
	}
	return 0
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
