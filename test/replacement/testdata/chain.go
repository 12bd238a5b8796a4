// Package server is k8s.io/apiserver's; ../module.sh adds this file to it.
package server

import (
	"net/http"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
)

// withSeating lets storages exchange the seats of lists, if the engine is pkg/apf. It comes
// before WithPriorityAndFairness.
func withSeating(handler http.Handler, c *Config) http.Handler {
	flowControl, ok := c.FlowControl.(*apf.FlowControl)
	if !ok {
		return handler
	}
	return flowControl.Filter(apf.FilterOptions{
		Objects: apf.ObjectsOf(c.StorageObjectCountTracker.Get), Sizes: apf.SizesOf(c.StorageObjectCountTracker.Get),
		ListCost: estimate.CostByCount,
	}).Around(handler)
}
