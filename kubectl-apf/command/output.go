package command

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// The formats of -o. Without it, answers are tables.
const (
	formatJSON = "json"
	formatYAML = "yaml"
	formatWide = "wide"
)

// answer is what a command writes. As JSON it has a stable form.
type answer interface {
	WriteTable(w io.Writer, options table.Options) error
}

// output is the flag -o.
type output struct{ format string }

// addTo adds the flag to a command.
func (o *output) addTo(c *cobra.Command) {
	formats := []string{formatJSON, formatYAML, formatWide}
	c.Flags().StringVarP(&o.format, "output", "o", "", "Output format, instead of a table. One of: "+strings.Join(formats, ", ")+".")
	if err := c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag was added above
	}
	c.PreRunE = func(*cobra.Command, []string) error {
		if o.format == "" || slices.Contains(formats, o.format) {
			return nil
		}
		return fmt.Errorf("the output format %q must be one of %s", o.format, strings.Join(formats, ", "))
	}
}

// write writes an answer.
func (o *output) write(env Environment, a answer) error {
	switch o.format {
	case formatJSON:
		text, err := json.MarshalIndent(a, "", "    ")
		if err != nil {
			return fmt.Errorf("writing JSON: %w", err)
		}
		return writeText(env.Out, string(text)+"\n")
	case formatYAML:
		text, err := yaml.Marshal(a)
		if err != nil {
			return fmt.Errorf("writing YAML: %w", err)
		}
		return writeText(env.Out, string(text))
	default:
		return a.WriteTable(env.Out, table.Options{Width: env.Width(), Wide: o.format == formatWide})
	}
}

func writeText(out io.Writer, text string) error {
	_, err := io.WriteString(out, text)
	return err
}
