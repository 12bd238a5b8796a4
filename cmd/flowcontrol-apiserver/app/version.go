package app

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server"
)

// newVersionCommand returns the command that prints what this program was built from.
func newVersionCommand(out io.Writer) *cobra.Command {
	format := ""
	command := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Print the release of this program, the Kubernetes release whose behavior it has, the
Go release that compiled it, and the revision of its source.`,
		Example: `  flowcontrol-apiserver version
  flowcontrol-apiserver version -o json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			switch format {
			case "":
				_, err := fmt.Fprintln(out, server.Version())
				return err
			case "json":
				encoder := json.NewEncoder(out)
				encoder.SetIndent("", "  ")
				return encoder.Encode(server.BuildInfo())
			default:
				return fmt.Errorf("--output=%s: it must be json, or not set for one line of text", format)
			}
		},
	}
	command.Flags().StringVarP(&format, "output", "o", "", "Output format: json, or one line of text if not set.")
	return command
}
