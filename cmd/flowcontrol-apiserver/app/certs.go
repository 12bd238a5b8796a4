package app

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newCertsCommand returns the command "certs". Its commands use the data directory at
// dataDir unless a flag names another.
func newCertsCommand(out io.Writer, dataDir string) *cobra.Command {
	command := &cobra.Command{
		Use:   "certs",
		Short: "Check and renew certificates",
		Long: `Check and renew the certificates that a server without a kube-apiserver issues in its data
directory; a running server also renews them by itself. Renew the certificates of a server in
a cluster.`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.SetFlagErrorFunc(func(failed *cobra.Command, err error) error {
		return fmt.Errorf("%w; %s --help lists the flags", err, failed.CommandPath())
	})
	command.SetOut(out)
	command.AddCommand(newCertsCheckCommand(dataDir), newCertsRenewCommand(dataDir), newCertsRenewSecretsCommand())
	return command
}

// addDataDirFlag adds --data-dir. The default is the server's.
func addDataDirFlag(flags *pflag.FlagSet, dataDir *string) {
	flags.StringVar(dataDir, "data-dir", *dataDir, "Data directory of the server.")
}
