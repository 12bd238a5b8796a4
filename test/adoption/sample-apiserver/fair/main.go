// Command fair is sample-apiserver with the flow control of pkg/apf.
package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/cli"
	"k8s.io/sample-apiserver/pkg/cmd/server"

	fair "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/options"
)

func main() {
	o := server.NewWardleServerOptions(os.Stdout, os.Stderr)
	command := server.NewCommandStartWardleServer(genericapiserver.SetupSignalContext(), o, false)
	flow := fair.NewOptions()
	flow.AddFlags(command.Flags())
	o.RecommendedOptions.Features.EnablePriorityAndFairness = false
	command.RunE = func(command *cobra.Command, args []string) error { return run(command.Context(), o, flow, args) }
	os.Exit(cli.Run(command))
}

func run(ctx context.Context, o *server.WardleServerOptions, flow *fair.Options, args []string) error {
	if err := o.Complete(); err != nil {
		return err
	}
	if err := o.Validate(args); err != nil {
		return err
	}
	config, err := o.Config()
	if err != nil {
		return err
	}
	if err := flow.ApplyToRecommended(config.GenericConfig); err != nil {
		return err
	}
	wardle, err := config.Complete().New()
	if err != nil {
		return err
	}
	wardle.GenericAPIServer.AddPostStartHookOrDie("start-sample-server-informers", func(hook genericapiserver.PostStartHookContext) error {
		config.GenericConfig.SharedInformerFactory.Start(hook.Done())
		o.SharedInformerFactory.Start(hook.Done())
		return nil
	})
	return wardle.GenericAPIServer.PrepareRun().RunWithContext(ctx)
}
