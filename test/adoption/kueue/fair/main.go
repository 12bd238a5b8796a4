// Command fair is Kueue's visibility server with the flow control of pkg/apf.
package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/component-base/cli"

	fair "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/options"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/adoption/kueue/visibility"
)

func main() {
	apis, err := visibility.NewAPIs()
	if err != nil {
		panic(err)
	}
	o := apis.Options()
	flow := fair.NewOptions()
	command := &cobra.Command{RunE: func(command *cobra.Command, _ []string) error { return run(command.Context(), apis, o, flow) }}
	command.SetContext(genericapiserver.SetupSignalContext())
	o.AddFlags(command.Flags())
	flow.AddFlags(command.Flags())
	o.Features.EnablePriorityAndFairness = false
	os.Exit(cli.Run(command))
}

func run(ctx context.Context, apis visibility.APIs, o *options.RecommendedOptions, flow *fair.Options) error {
	config := apis.Config()
	if err := o.SecureServing.MaybeDefaultWithSelfSignedCerts("localhost", nil, nil); err != nil {
		return err
	}
	if err := o.ApplyTo(config); err != nil {
		return err
	}
	if err := flow.ApplyToRecommended(config); err != nil {
		return err
	}
	server, err := config.Complete().New("visibility-server", genericapiserver.NewEmptyDelegate())
	if err != nil {
		return err
	}
	if err := apis.Install(ctx, server); err != nil {
		return err
	}
	return server.PrepareRun().RunWithContext(ctx)
}
