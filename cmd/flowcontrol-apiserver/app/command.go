// Package app is the server as a program. A start goes through it in one
// direction:
//
//	flags -> Options -> Complete, Validate -> CompletedOptions
//	      -> NewConfig  (reads files, opens the data directory and the store)
//	      -> NewServer  (installs the API group, hooks and health checks)
//	      -> Server.Run (until the context ends, then gracefully down)
//
// What needs no more than the flags is refused before a file is touched.
package app

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/cli/globalflag"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	_ "k8s.io/component-base/logs/json/register" // makes --logging-format=json known
	"k8s.io/component-base/term"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server"
)

// NewCommand returns the program. It serves until ctx ends and says on out when
// it is ready and what can be done next.
func NewCommand(ctx context.Context, out io.Writer) *cobra.Command {
	return NewCommandFor(ctx, out, server.NewOptions())
}

// NewCommandFor is NewCommand with options of the caller, which flags change.
func NewCommandFor(ctx context.Context, out io.Writer, options *server.Options) *cobra.Command {
	showVersion := false
	command := &cobra.Command{
		Use:   "flowcontrol-apiserver",
		Short: "API server for Kubernetes flow control",
		Long: `flowcontrol-apiserver serves FlowSchema and PriorityLevelConfiguration
(flowcontrol.apiserver.k8s.io), keeps them in etcd and enforces them on its own
requests.

Without flags it runs alone: etcd inside, certificates and admin.kubeconfig made
in --data-dir. With --etcd-servers it uses an etcd of yours, and with
--kubeconfig, or in a pod, it takes identities and permissions from a
kube-apiserver.`,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(*cobra.Command, []string) error {
			if showVersion {
				_, err := fmt.Fprintln(out, server.VersionLine())
				return err
			}
			return run(ctx, options, out)
		},
	}
	command.SetContext(ctx)
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return fmt.Errorf("%w; --help lists the flags", err)
	})

	sets := options.Flags()
	global := sets.FlagSet("global")
	global.BoolVar(&showVersion, "version", false, "Print the version and exit.")
	globalflag.AddGlobalFlags(global, command.Name(), logs.SkipLoggingConfigurationFlags())
	for _, set := range sets.FlagSets {
		command.Flags().AddFlagSet(set)
	}
	columns, _, _ := term.TerminalSize(out)
	cliflag.SetUsageAndHelpFunc(command, sets, columns)
	return command
}

func run(ctx context.Context, options *server.Options, out io.Writer) error {
	if err := applyGlobals(options); err != nil {
		return err
	}
	completed := options.Complete()
	if errs := completed.Validate(); len(errs) > 0 {
		return utilerrors.NewAggregate(errs)
	}
	config, err := server.NewConfig(ctx, completed)
	if err != nil {
		return err
	}
	defer config.Close()
	running, err := server.NewServer(config)
	if err != nil {
		return err
	}
	return running.Run(ctx, out)
}

// applyGlobals sets what the libraries keep for the whole process: feature
// gates, logging, and which metrics are shown.
func applyGlobals(o *server.Options) error {
	if err := o.Run.ComponentGlobalsRegistry.Set(); err != nil {
		return err
	}
	if errs := o.Metrics.Validate(); len(errs) > 0 {
		return utilerrors.NewAggregate(errs)
	}
	o.Metrics.Apply()
	return logsapi.ValidateAndApply(o.Logs, o.Run.ComponentGlobalsRegistry.FeatureGateFor(o.Run.ComponentName))
}
