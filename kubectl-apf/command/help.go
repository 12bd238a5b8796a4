package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const (
	// sectionAnnotation names the section of a flag in the help.
	sectionAnnotation = "section"
	whereSection      = "Where to look"
	// kubectlSection has kubectl's flags for connections, which its own help lists.
	kubectlSection = "kubectl"
	// helpWidth is the width of help where Out is no terminal.
	helpWidth = 100
)

func inSection(f *pflag.Flag, section string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[sectionAnnotation] = []string{section}
}

// page is the help of a command.
type page struct {
	use, short, long, examples string
}

// command returns a command with this help, which takes no arguments.
func (p page) command(run func(ctx context.Context, args []string) error) *cobra.Command {
	return &cobra.Command{
		Use: p.use, Short: p.short, Long: p.long, Example: indent(p.examples),
		DisableFlagsInUseLine: true, // the flags are in a list below
		Args:                  cobra.NoArgs,
		RunE:                  func(c *cobra.Command, args []string) error { return run(c.Context(), args) },
	}
}

// indent indents examples as kubectl does.
func indent(examples string) string {
	indented := "  " + strings.ReplaceAll(strings.TrimSpace(examples), "\n", "\n  ")
	return strings.ReplaceAll(indented, "\n  \n", "\n\n")
}

// setHelp makes the command and those below it write help with the flags in sections.
func setHelp(root *cobra.Command, env Environment) {
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		fmt.Fprintf(env.Out, "%s\n\n", c.Long)
		writeUsage(env.Out, c, env.Width())
	})
	root.SetUsageFunc(func(c *cobra.Command) error {
		writeUsage(env.Out, c, env.Width())
		return nil
	})
}

func writeUsage(out io.Writer, c *cobra.Command, width int) {
	width = cmp.Or(width, helpWidth)
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(out, "Usage:\n  %s COMMAND\n\nCommands:\n", c.CommandPath())
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(out, "  %-12s%s\n", sub.Name(), sub.Short)
			}
		}
		fmt.Fprintf(out, "\n%s COMMAND --help shows more about a command.\n", c.CommandPath())
		return
	}
	fmt.Fprintf(out, "Usage:\n  %s\n\nExamples:\n%s\n", c.UseLine(), c.Example)
	sections := map[string]*pflag.FlagSet{}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		name := "Flags"
		if annotation := f.Annotations[sectionAnnotation]; len(annotation) > 0 {
			name = annotation[0]
		}
		if sections[name] == nil {
			sections[name] = pflag.NewFlagSet(name, pflag.ContinueOnError)
		}
		sections[name].AddFlag(f)
	})
	for _, name := range []string{"Flags", whereSection} {
		if flags := sections[name]; flags != nil {
			fmt.Fprintf(out, "\n%s:\n%s", name, flags.FlagUsagesWrapped(width))
		}
	}
	if sections[kubectlSection] != nil {
		fmt.Fprintln(out, "\nkubectl's flags, such as --context and --kubeconfig, are valid too: 'kubectl options' lists them.")
	}
}
