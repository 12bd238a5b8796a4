package apf_test

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
)

// A server built on k8s.io/apiserver adopts the engine with one line, marked below. The
// library's handler chain does the rest. The stored configuration gives the user runaway
// a priority level without seats.
func Example() {
	// In production: a client of the server that stores the configuration.
	client := fake.NewClientset(shutOutLevel(), shutOutSchema())
	factory := informers.NewSharedInformerFactory(client, 0)

	config := recommendedConfig()
	config.SharedInformerFactory = factory // the server starts it
	flowControl, err := apf.New(apf.ConfigFor(factory, client.FlowcontrolV1(), 100))
	if err != nil {
		panic(err)
	}
	config.FlowControl = flowControl // <- the one line

	server := newServerOf(config)
	defer run(server, factory)()
	<-flowControl.Applied() // the stored configuration is enforced
	askAs(server.Handler, "alice", "runaway")

	// Output:
	// alice 200 OK
	// runaway 429 Too Many Requests
}
