// Command library is sample-apiserver with the flow control of k8s.io/apiserver and a total of
// its own.
package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/client-go/kubernetes"
	"k8s.io/component-base/cli"
	"k8s.io/sample-apiserver/pkg/cmd/server"
)

func main() {
	o := server.NewWardleServerOptions(os.Stdout, os.Stderr)
	command := server.NewCommandStartWardleServer(genericapiserver.SetupSignalContext(), o, false)
	seats := command.Flags().Int("flow-control-seats", 600, "requests that execute at once")
	command.RunE = func(command *cobra.Command, args []string) error { return run(command.Context(), o, args, *seats) }
	os.Exit(cli.Run(command))
}

func run(ctx context.Context, o *server.WardleServerOptions, args []string, seats int) error {
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
	client, err := kubernetes.NewForConfig(config.GenericConfig.ClientConfig)
	if err != nil {
		return err
	}
	config.GenericConfig.FlowControl = flowcontrol.New(config.GenericConfig.SharedInformerFactory, client.FlowcontrolV1(), seats)
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
