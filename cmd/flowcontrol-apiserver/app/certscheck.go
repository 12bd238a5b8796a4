package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

// certsCheck is the command "certs check".
type certsCheck struct {
	dataDir, output string
	clock           clock.PassiveClock
}

func newCertsCheckCommand(dataDir string) *cobra.Command {
	check := &certsCheck{dataDir: dataDir, clock: clock.RealClock{}}
	command := &cobra.Command{
		Use:   "check",
		Short: "Show when the certificates expire",
		Long: `Show when the certificates in the data directory expire. It changes nothing, and
needs no running server.

The exit status is 1 if a certificate has expired or is due for renewal: a leaf
certificate 30 days before its end, the CA a year before; or if one is unusable.`,
		Example: "  flowcontrol-apiserver certs check\n  flowcontrol-apiserver certs check --data-dir /var/lib/flowcontrol-apiserver -o json",
		Args:    cobra.NoArgs,
		RunE:    func(command *cobra.Command, _ []string) error { return check.run(command.OutOrStdout()) },
	}
	addDataDirFlag(command.Flags(), &check.dataDir)
	command.Flags().StringVarP(&check.output, "output", "o", "table", "Output format: table or json.")
	return command
}

func (c *certsCheck) run(out io.Writer) error {
	now := c.clock.Now()
	write := writeTable
	switch c.output {
	case "table":
	case "json":
		write = writeJSON
	default:
		return fmt.Errorf("--output=%s must be table or json", c.output)
	}
	certificates, err := embedded.InspectCertificates(c.dataDir, now)
	if err != nil {
		return err
	}
	if err := write(out, certificates, now); err != nil {
		return err
	}
	return judge(certificates)
}

// judge returns an error that says what to do about the certificates that are not
// valid, nil if all are.
func judge(certificates []embedded.CertificateStatus) error {
	var errs []error
	for _, c := range certificates {
		switch c.State {
		case embedded.StateValid:
		case embedded.StateUnusable:
			errs = append(errs, c.Err)
		case embedded.StateNotYetValid:
			errs = append(errs, fmt.Errorf("%s is %s: check the clock of this machine; a server renews the certificate if the clock is right", c.File, c.State))
		case embedded.StateDue, embedded.StateExpired:
			errs = append(errs, fmt.Errorf("%s: %s: a running server renews it within minutes; its log says why if not", c.File, c.State))
		}
	}
	return errors.Join(errs...)
}

func writeTable(out io.Writer, certificates []embedded.CertificateStatus, now time.Time) error {
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "CERTIFICATE\tEXPIRES\tRESIDUAL TIME\tAUTHORITY\tSTATUS")
	for _, c := range certificates {
		expires, residual := "unknown", "unknown"
		if !c.NotAfter.IsZero() {
			expires, residual = c.NotAfter.UTC().Format(time.RFC3339), duration.ShortHumanDuration(max(0, c.NotAfter.Sub(now)))
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", c.Certificate, expires, residual, authority(c), c.State)
	}
	return table.Flush()
}

// authority is the CA that signed a certificate.
func authority(c embedded.CertificateStatus) string {
	switch {
	case c.SignedByCA:
		return embedded.CACertificate
	case c.NotAfter.IsZero():
		return "unknown"
	default:
		return "other"
	}
}

// certificateList is the output as JSON.
type certificateList struct {
	Certificates []certificateItem `json:"certificates"`
}

type certificateItem struct {
	Name           string     `json:"name"`
	File           string     `json:"file"`
	NotBefore      *time.Time `json:"notBefore,omitempty"`
	ExpirationDate *time.Time `json:"expirationDate,omitempty"`
	// ResidualSeconds is negative after the end.
	ResidualSeconds *int64 `json:"residualSeconds,omitempty"`
	Authority       string `json:"authority"`
	Status          string `json:"status"`
	Error           string `json:"error,omitempty"`
}

func writeJSON(out io.Writer, certificates []embedded.CertificateStatus, now time.Time) error {
	list := certificateList{Certificates: make([]certificateItem, 0, len(certificates))}
	for _, c := range certificates {
		item := certificateItem{Name: c.Certificate, File: c.File, Authority: authority(c), Status: string(c.State)}
		if !c.NotAfter.IsZero() {
			residual := int64(c.NotAfter.Sub(now).Seconds())
			notBefore, notAfter := c.NotBefore.UTC(), c.NotAfter.UTC()
			item.NotBefore, item.ExpirationDate, item.ResidualSeconds = &notBefore, &notAfter, &residual
		}
		if c.Err != nil {
			item.Error = c.Err.Error()
		}
		list.Certificates = append(list.Certificates, item)
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(list)
}
