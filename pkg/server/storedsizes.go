package server

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
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

// collectors returns the metric of the size of the stored objects of each type, as
// kube-apiserver has it since 1.34. Costs by size cannot be explained without it.
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
