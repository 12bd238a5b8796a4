// Command library is Kueue's visibility server with the flow control of k8s.io/apiserver
// and a total of its own.
package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/client-go/kubernetes"
	"k8s.io/component-base/cli"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/adoption/kueue/visibility"
)

func main() {
	apis, err := visibility.NewAPIs()
	if err != nil {
		panic(err)
	}
	o := apis.Options()
	var seats int
	command := &cobra.Command{RunE: func(command *cobra.Command, _ []string) error { return run(command.Context(), apis, o, seats) }}
	command.Flags().IntVar(&seats, "flow-control-seats", 600, "requests that execute at once")
	command.SetContext(genericapiserver.SetupSignalContext())
	o.AddFlags(command.Flags())
	os.Exit(cli.Run(command))
}

func run(ctx context.Context, apis visibility.APIs, o *options.RecommendedOptions, seats int) error {
	config := apis.Config()
	if err := o.SecureServing.MaybeDefaultWithSelfSignedCerts("localhost", nil, nil); err != nil {
		return err
	}
	if err := o.ApplyTo(config); err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config.ClientConfig)
	if err != nil {
		return err
	}
	config.FlowControl = flowcontrol.New(config.SharedInformerFactory, client.FlowcontrolV1(), seats)
	server, err := config.Complete().New("visibility-server", genericapiserver.NewEmptyDelegate())
	if err != nil {
		return err
	}
	if err := apis.Install(ctx, server); err != nil {
		return err
	}
	return server.PrepareRun().RunWithContext(ctx)
}
