package apf_test

import (
	"net/http"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
)

// A server that has the engine by one line may choose what lists cost, and more, by a filter around
// its handler chain and into it.
func ExampleFlowControl_Filter() {
	client := fake.NewClientset(shutOutLevel(), shutOutSchema())
	factory := informers.NewSharedInformerFactory(client, 0)
	config := recommendedConfig()
	config.SharedInformerFactory = factory
	flowControl, err := apf.New(apf.ConfigFor(factory, client.FlowcontrolV1(), 100))
	if err != nil {
		panic(err)
	}
	config.FlowControl = flowControl // the server runs it and serves its debug endpoints
	build := config.BuildHandlerChainFunc
	config.BuildHandlerChainFunc = func(handler http.Handler, c *genericapiserver.Config) http.Handler {
		filter := flowControl.Filter(apf.FilterOptions{
			Objects:  apf.ObjectsOf(c.StorageObjectCountTracker.Get),
			Sizes:    apf.SizesOf(c.StorageObjectCountTracker.Get),
			ListCost: estimate.CostLearned,
		})
		return filter.Around(build(filter.Inside(handler), c))
	}

	server := newServerOf(config)
	flowControl.InstallMetrics(server.Handler.NonGoRestfulMux)
	defer run(server, factory)()
	<-flowControl.Applied()
	askAs(server.Handler, "alice", "runaway")

	// Output:
	// alice 200 OK
	// runaway 429 Too Many Requests
}
