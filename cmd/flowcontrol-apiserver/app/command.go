// Package app is the command flowcontrol-apiserver: flags set Options, with which package server runs a
// server.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/cli/globalflag"
	"k8s.io/component-base/logs"
	_ "k8s.io/component-base/logs/json/register" // makes --logging-format=json known
	"k8s.io/component-base/term"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server"
)

// NewCommand returns the command. It serves until ctx ends, and writes to out when
// it is ready and what to do next.
func NewCommand(ctx context.Context, out io.Writer) *cobra.Command {
	return NewCommandFor(ctx, out, NewOptions())
}

// NewCommandFor is NewCommand with the caller's options, which flags change.
func NewCommandFor(ctx context.Context, out io.Writer, options *Options) *cobra.Command {
	showVersion := false
	command := &cobra.Command{
		Use:   "flowcontrol-apiserver",
		Short: "API server for Kubernetes flow control",
		Long: `flowcontrol-apiserver serves FlowSchema and PriorityLevelConfiguration
(flowcontrol.apiserver.k8s.io), stores them in etcd and enforces them on its own
requests.

Without flags it runs alone: with an embedded etcd, and with certificates and an
admin.kubeconfig that it issues in --data-dir. With --etcd-servers it uses an
existing etcd. With --kubeconfig, or in a pod, a kube-apiserver authenticates and
authorizes its users.`,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(*cobra.Command, []string) error {
			if showVersion {
				_, err := fmt.Fprintln(out, server.Version())
				return err
			}
			return run(ctx, options, out)
		},
	}
	command.SetContext(ctx)
	command.SetOut(out)
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return explainFlag(err) })

	sets := options.Flags()
	global := sets.FlagSet("global")
	global.BoolVar(&showVersion, "version", false, "Print the version and exit.")
	globalflag.AddGlobalFlags(global, command.Name(), logs.SkipLoggingConfigurationFlags())
	for _, set := range sets.FlagSets {
		command.Flags().AddFlagSet(set)
	}
	options.FlagSets = sets
	addSubcommands(command,
		newGuardCommand(),
		newEtcdCommand(out, options.DataDir),
		newVersionCommand(out),
	)
	columns, _, _ := term.TerminalSize(out)
	cliflag.SetUsageAndHelpFunc(command, sets, columns)
	return command
}

func run(ctx context.Context, options *Options, out io.Writer) error {
	if err := options.applyGlobals(); err != nil {
		return err
	}
	running, err := open(ctx, options.Complete())
	if err != nil {
		return err
	}
	defer running.Close()
	go announce(ctx, running, out)
	return running.Run(ctx)
}

// openingEnds is how long a start that is interrupted may take to close what it has opened.
const openingEnds = time.Second

var errInterrupted = errors.New("interrupted while the server started")

// open opens a server. If ctx ends, it does not wait for an etcd that does not answer, for which the
// library waits for 20 s: the end of the process closes what is open.
func open(ctx context.Context, config server.CompletedConfig) (*server.Server, error) {
	type result struct {
		running *server.Server
		err     error
	}
	opened := make(chan result, 1)
	go func() {
		running, err := server.New(ctx, config)
		opened <- result{running, err}
	}()
	interrupted := context.AfterFunc(ctx, func() {
		time.AfterFunc(openingEnds, func() { opened <- result{err: errInterrupted} })
	})
	defer interrupted()
	r := <-opened
	return r.running, r.err
}

// next needs the URL of the server and the path of the administrator's kubeconfig. The
// three lines work in any directory, as the path is absolute.
const next = `Ready on %s. Next, in another terminal:
  export KUBECONFIG='%s'
  kubectl get prioritylevelconfigurations,flowschemas
  kubectl get --raw /debug/api_priority_and_fairness/dump_priority_levels
`

// announce writes where the server is, once it is ready, and what to do next.
func announce(ctx context.Context, running *server.Server, out io.Writer) {
	if err := running.WaitReady(ctx); err != nil {
		return // it is stopping
	}
	if path := running.KubeconfigPath(); path != "" {
		if absolute, err := filepath.Abs(path); err == nil {
			path = absolute
		}
		_, _ = fmt.Fprintf(out, next, running.URL(), path)
		return
	}
	_, _ = fmt.Fprintf(out, "Ready on %s.\n", running.URL())
}
