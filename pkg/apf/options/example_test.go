package options_test

import (
	"fmt"

	"github.com/spf13/pflag"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/options"
)

// adopt gives a server with RecommendedOptions flow control.
func adopt(flags *pflag.FlagSet, recommended *genericoptions.RecommendedOptions, config *genericapiserver.RecommendedConfig) error {
	flowControl := options.NewOptions()
	flowControl.AddFlags(flags) // optional
	recommended.Features.EnablePriorityAndFairness = false
	if err := recommended.ApplyTo(config); err != nil { // as before
		return err
	}
	if err := flowControl.ApplyToRecommended(config); err != nil { // before config.Complete
		return err
	}
	return nil
}

// kube-apiserver forbids the server everything. The server is ready all the same, and has flow
// control.
func ExampleOptions_ApplyToRecommended() {
	cluster := newCluster()
	defer cluster.close()
	recommended, config := newRecommended(cluster)
	if err := adopt(pflag.NewFlagSet("server", pflag.ContinueOnError), recommended, config); err != nil {
		panic(err)
	}
	server, stop := start(config)
	defer stop()
	awaitReady(server)
	fmt.Println("ready; source of the configuration:", config.FlowControl.(*options.FlowControl).Status().Source)
	fmt.Println("requests for objects of flow control:", cluster.requests.Load())
	// Output:
	// ready; source of the configuration: built-in
	// requests for objects of flow control: 0
}

// A server without RecommendedOptions.
func ExampleOptions_ApplyTo() {
	config := genericapiserver.NewConfig(scheme.Codecs)
	flowControl := options.NewOptions()
	if err := flowControl.ApplyTo(config); err != nil { // before config.Complete
		panic(err)
	}
	fmt.Println(config.FlowControl.(*options.FlowControl).Status().Source)
	// Output: built-in
}
