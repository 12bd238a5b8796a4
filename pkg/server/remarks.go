package server

import (
	"context"
	"net/http"

	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/bootstrap"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/readiness"
)

// explainReadiness makes /readyz say what is missing, and what to do.
func (c *Config) explainReadiness(context.Context) error {
	remarks := append(ownRemarks(), c.remarks...)
	chain := c.generic.BuildHandlerChainFunc
	c.generic.BuildHandlerChainFunc = func(api http.Handler, generic *genericapiserver.Config) http.Handler {
		return chain(readiness.Explain(api, remarks), generic)
	}
	return nil
}

// ownRemarks are those of the checks that need no kube-apiserver.
func ownRemarks() []readiness.Remark {
	const etcd = "etcd does not answer as it should: see that it runs, with a majority of its members"
	return []readiness.Remark{
		readiness.Failing("etcd", etcd),
		readiness.Failing("etcd-readiness", etcd),
		readiness.Failing(storedObjectsCheck, "there is something at our keys in etcd that cannot be read: "+
			"its key, and what to do, are in the log and at /readyz/"+storedObjectsCheck),
		readiness.Failing(configuredCheck, "the stored FlowSchemas and PriorityLevelConfigurations are not in force yet; if that lasts, the log says why"),
		readiness.Failing(bootstrap.CheckName, "the built-in objects are not all there yet; if that lasts, the log says why"),
	}
}
