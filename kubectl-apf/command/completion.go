package command

import (
	"github.com/spf13/cobra"
)

// completionScript asks the plug-in for completions, as kubectl does.
const completionScript = `#!/usr/bin/env sh
# kubectl runs this to complete the words after "kubectl apf".
exec kubectl-apf ` + cobra.ShellCompRequestCmd + ` "$@"
`

func newCompletion(env Environment) *cobra.Command {
	c := page{
		use:   "completion",
		short: "Print the script that kubectl uses to complete this plug-in's words",
		long: `kubectl apf completion prints a script that belongs on the PATH, with the name
kubectl_complete-apf and the right to be executed. kubectl runs it to complete commands,
flags, flow schemas, priority levels and resources. A link of that name to kubectl-apf
does the same. The completion of kubectl itself must be set up in the shell.`,
		examples: `# Complete the words after "kubectl apf" from now on
kubectl apf completion > kubectl_complete-apf && chmod +x kubectl_complete-apf`,
	}.command()
	c.Args = cobra.NoArgs
	c.RunE = func(*cobra.Command, []string) error { return writeText(env.Out, completionScript) }
	return c
}
