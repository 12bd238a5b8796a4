package server

import (
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
		stored[resource+"."+flowcontrol.GroupName] = sizes
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
		return sizes.average()
	}
	return 0
}
