package server

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/tools/cache"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// listCosts is what lists cost, and what that depends on.
type listCosts struct {
	cost estimate.ListCost
	// sizes are the sizes of the stored objects of each type, by resource.group.
	sizes map[string]*objectSizes
}

// newListCosts returns the costs of lists. It measures the objects of the informers,
// which the caller starts.
func newListCosts(cost estimate.ListCost, levels, schemas cache.SharedIndexInformer) (listCosts, error) {
	c := listCosts{cost: cost, sizes: map[string]*objectSizes{}}
	for resource, informer := range map[string]cache.SharedIndexInformer{
		"prioritylevelconfigurations": levels, "flowschemas": schemas,
	} {
		sizes := newObjectSizes()
		c.sizes[resource+"."+flowcontrol.GroupName] = sizes
		if _, err := informer.AddEventHandler(sizes); err != nil {
			return c, err
		}
	}
	return c, nil
}

// average returns the average size of the stored objects of a type in bytes; 0 if it is
// not known.
func (c listCosts) average(groupResource string) int64 {
	if sizes := c.sizes[groupResource]; sizes != nil {
		return sizes.average()
	}
	return 0
}

// collectors returns the metric of the size of the stored objects of each type, as
// kube-apiserver has it since 1.34. Costs by size cannot be explained without it.
func (c listCosts) collectors() (all []prometheus.Collector) {
	for groupResource, sizes := range c.sizes {
		resource, group, _ := strings.Cut(groupResource, ".")
		all = append(all, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "apiserver_resource_size_estimate_bytes",
			Help:        "[ALPHA] Size of the stored objects, as serialized",
			ConstLabels: prometheus.Labels{"group": group, "resource": resource},
		}, func() float64 { return float64(sizes.total.Load()) }))
	}
	return all
}
