// Command fair is apiextensions-apiserver with the flow control of pkg/apf.
package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/cli"

	fair "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/options"
)

func main() {
	o := options.NewCustomResourceDefinitionsServerOptions(os.Stdout, os.Stderr)
	flow := fair.NewOptions()
	command := &cobra.Command{RunE: func(command *cobra.Command, _ []string) error { return run(command.Context(), o, flow) }}
	command.SetContext(genericapiserver.SetupSignalContext())
	o.AddFlags(command.Flags())
	flow.AddFlags(command.Flags())
	o.RecommendedOptions.Features.EnablePriorityAndFairness = false
	os.Exit(cli.Run(command))
}

func run(ctx context.Context, o *options.CustomResourceDefinitionsServerOptions, flow *fair.Options) error {
	if err := o.ServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return err
	}
	if err := o.Complete(); err != nil {
		return err
	}
	if err := o.Validate(); err != nil {
		return err
	}
	config, err := o.Config()
	if err != nil {
		return err
	}
	if err := flow.ApplyToRecommended(config.GenericConfig); err != nil {
		return err
	}
	server, err := config.Complete().New(genericapiserver.NewEmptyDelegate())
	if err != nil {
		return err
	}
	return server.GenericAPIServer.PrepareRun().RunWithContext(ctx)
}
