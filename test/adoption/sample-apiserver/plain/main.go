// Command plain is sample-apiserver as it is. Its flag --enable-priority-and-fairness
// switches off the flow control of k8s.io/apiserver.
package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/cli"
	"k8s.io/sample-apiserver/pkg/cmd/server"
)

func main() {
	o := server.NewWardleServerOptions(os.Stdout, os.Stderr)
	command := server.NewCommandStartWardleServer(genericapiserver.SetupSignalContext(), o, false)
	command.RunE = func(command *cobra.Command, args []string) error { return run(command.Context(), o, args) }
	os.Exit(cli.Run(command))
}

func run(ctx context.Context, o *server.WardleServerOptions, args []string) error {
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
