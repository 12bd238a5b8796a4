package command

import (
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is the release of this program, which the Makefile sets with -X.
var release = "0.1.0" //nolint:gochecknoglobals // see above

func newVersion(env Environment) *cobra.Command {
	c := page{
		use:      "version",
		short:    "Print the version of the plug-in",
		long:     "kubectl apf version prints the versions of the plug-in and of Go.",
		examples: "kubectl apf version",
	}.command()
	c.Args = cobra.NoArgs
	c.RunE = func(*cobra.Command, []string) error {
		text := "kubectl-apf v" + release
		if info, ok := debug.ReadBuildInfo(); ok {
			text += " (" + info.GoVersion + ")"
		}
		return writeText(env.Out, text+"\n")
	}
	return c
}
