package apf_test

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
)

// The library registers metrics of the same names in a registry of its own. InstallMetrics
// makes /metrics serve both registries without duplicates.
func ExampleFlowControl_InstallMetrics() {
	client := fake.NewClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	config := recommendedConfig()
	config.SharedInformerFactory = factory
	flowControl, err := apf.New(apf.ConfigFor(factory, client.FlowcontrolV1(), 100))
	if err != nil {
		panic(err)
	}
	config.FlowControl = flowControl
	server := newServerOf(config)

	flowControl.InstallMetrics(server.Handler.NonGoRestfulMux)

	defer run(server, factory)()
	<-flowControl.Applied()
	askAs(server.Handler, "alice")
	printMetrics(server.Handler, "apiserver_flowcontrol_dispatched_requests_total", "apiserver_flowcontrol_nominal_limit_seats")

	// Output:
	// alice 200 OK
	// apiserver_flowcontrol_dispatched_requests_total{flow_schema="catch-all",priority_level="catch-all"} 2
	// apiserver_flowcontrol_nominal_limit_seats{priority_level="catch-all"} 100
	// apiserver_flowcontrol_nominal_limit_seats{priority_level="exempt"} 0
}
