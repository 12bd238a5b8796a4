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
	formatJSON  = "json"
	formatYAML  = "yaml"
	formatWide  = "wide"
	formatName  = "name"
	formatJUnit = "junit"
)

// answer is what a command writes. As JSON it has a stable form.
type answer interface {
	WriteTable(w io.Writer, options table.Options) error
}

// output is the flag -o.
type output struct {
	format  string
	allowed []string
}

func (o *output) addFlag(c *cobra.Command, allowed ...string) {
	o.allowed = allowed
	c.Flags().StringVarP(&o.format, "output", "o", "", "Output format, instead of a table. One of: "+strings.Join(allowed, ", ")+".")
	if err := c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag was added above
	}
}

// validate returns an error unless the format is allowed.
func (o *output) validate() error {
	if o.format == "" || slices.Contains(o.allowed, o.format) {
		return nil
	}
	return fmt.Errorf("the output format %q must be one of %s", o.format, strings.Join(o.allowed, ", "))
}

// write writes an answer. names are the lines of -o name, in the form RESOURCE/NAME.
func (o *output) write(env Environment, a answer, names []string) error {
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
	case formatName:
		return writeText(env.Out, strings.Join(append(names, ""), "\n"))
	default:
		return a.WriteTable(env.Out, table.Options{Width: env.Width(), Wide: o.format == formatWide})
	}
}

func writeText(out io.Writer, text string) error {
	_, err := io.WriteString(out, text)
	return err
}

const (
	flowSchemas    = "flowschemas"
	priorityLevels = "prioritylevelconfigurations"
	group          = "flowcontrol.apiserver.k8s.io"
)

// objectName, schemaName and levelName name objects as kubectl -o name does. What is no
// object of an API group, such as a user, has its kind alone.
func schemaName(name string) string { return objectName("FlowSchema", name) }
func levelName(name string) string  { return objectName("PriorityLevelConfiguration", name) }
func objectName(kind, name string) string {
	of := group
	switch kind {
	case "APIService":
		of = "apiregistration.k8s.io"
	case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "ValidatingAdmissionPolicy":
		of = "admissionregistration.k8s.io"
	case "DaemonSet":
		of = "apps"
	case "Pod", "User", "Program", "Log":
		return strings.ToLower(kind) + "/" + name
	}
	return strings.ToLower(kind) + "." + of + "/" + name
}

// unique returns each text once, in the order of their first occurrence.
func unique(texts []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, text := range texts {
		if !seen[text] {
			seen[text] = true
			out = append(out, text)
		}
	}
	return out
}
