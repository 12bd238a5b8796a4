// Command peer is this project's server with the filter, estimates and engine
// of k8s.io/apiserver instead of pkg/apf. It is the peer of the comparison.
package main

import (
	"fmt"
	"os"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/component-base/cli"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/cmd/flowcontrol-apiserver/app"
)

func main() {
	options := app.NewOptions()
	options.FlowControl = library
	command := app.NewCommandFor(genericapiserver.SetupSignalContext(), os.Stdout, options)
	if err := cli.RunNoErrOutput(command); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

func library(c *genericapiserver.Config) error {
	client, err := kubernetes.NewForConfig(c.LoopbackClientConfig)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	c.FlowControl = flowcontrol.New(factory, client.FlowcontrolV1(), c.MaxRequestsInFlight+c.MaxMutatingRequestsInFlight)
	return c.AddPostStartHook("library-informers", func(hook genericapiserver.PostStartHookContext) error {
		factory.Start(hook.Done())
		return nil
	})
}
