package app

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

// allCertificates is the argument that names all leaf certificates.
const allCertificates = "all"

// certsRenew is the command "certs renew".
type certsRenew struct {
	dataDir string
	clock   clock.PassiveClock
}

func newCertsRenewCommand(dataDir string) *cobra.Command {
	renew := &certsRenew{dataDir: dataDir, clock: clock.RealClock{}}
	arguments := append([]string{allCertificates}, embedded.LeafCertificates()...)
	command := &cobra.Command{
		Use:   "renew [" + strings.Join(arguments, "|") + "]...",
		Short: "Renew certificates now, however long they are valid",
		Long: `Renew the named certificates in the data directory for a year from now, with the
same keys, names and addresses; without an argument, all. The CA is renewed, for
10 years and with the same key, only if it is due.

The server may be running or not. A running one serves the new certificate on new
connections within a minute, and keeps the open ones. Certificates issued before remain
valid until their own end.`,
		Example:   "  flowcontrol-apiserver certs renew\n  flowcontrol-apiserver certs renew admin --data-dir /var/lib/flowcontrol-apiserver",
		ValidArgs: arguments,
		RunE: func(command *cobra.Command, args []string) error {
			return renew.run(command.Context(), command.OutOrStdout(), args)
		},
	}
	addDataDirFlag(command.Flags(), &renew.dataDir)
	return command
}

func (c *certsRenew) run(ctx context.Context, out io.Writer, args []string) error {
	names := args
	if len(args) == 0 || slices.Contains(args, allCertificates) {
		names = embedded.LeafCertificates()
	}
	renewals, err := embedded.RenewCertificates(ctx, c.dataDir, names, c.clock.Now)
	for _, renewal := range renewals {
		fmt.Fprintf(out, "Renewed %s, valid until %s\n", renewal.Certificate, renewal.NotAfter.UTC().Format(time.RFC3339))
	}
	if err != nil {
		return err
	}
	fmt.Fprint(out, nextSteps(renewals))
	return nil
}

// nextSteps says what is left to do.
func nextSteps(renewals []embedded.Renewal) string {
	written := func(name string) bool {
		return slices.ContainsFunc(renewals, func(r embedded.Renewal) bool { return r.Certificate == name })
	}
	var text strings.Builder
	if written(embedded.ServingCertificate) {
		text.WriteString("A running server serves the new certificate within a minute. No restart is needed.\n")
	}
	if written(embedded.AdminCertificate) {
		if written(embedded.KubeconfigName) {
			text.WriteString("Replace copies of admin.kubeconfig before they expire.\n")
		} else {
			text.WriteString("No kubeconfig was written, since there is none in the data directory.\n")
		}
	}
	return text.String()
}
