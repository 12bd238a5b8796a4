// Command plain is apiextensions-apiserver as it is. Its flag
// --enable-priority-and-fairness switches off the flow control of k8s.io/apiserver.
package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/cli"
)

func main() {
	o := options.NewCustomResourceDefinitionsServerOptions(os.Stdout, os.Stderr)
	command := &cobra.Command{RunE: func(command *cobra.Command, _ []string) error { return run(command.Context(), o) }}
	command.SetContext(genericapiserver.SetupSignalContext())
	o.AddFlags(command.Flags())
	os.Exit(cli.Run(command))
}

func run(ctx context.Context, o *options.CustomResourceDefinitionsServerOptions) error {
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
	server, err := config.Complete().New(genericapiserver.NewEmptyDelegate())
	if err != nil {
		return err
	}
	return server.GenericAPIServer.PrepareRun().RunWithContext(ctx)
}
