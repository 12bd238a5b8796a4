package app

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// addSubcommands adds commands that do not serve, and the library's commands: help, and completion
// for shells. The library prints their help, without the server's flags.
func addSubcommands(server *cobra.Command, subcommands ...*cobra.Command) {
	server.AddCommand(subcommands...)
	server.InitDefaultCompletionCmd()
	server.InitDefaultHelpCmd()

	plain := &cobra.Command{}
	var list strings.Builder
	for _, subcommand := range server.Commands() {
		subcommand.SetUsageFunc(plain.UsageFunc())
		subcommand.SetHelpFunc(plain.HelpFunc())
		fmt.Fprintf(&list, "\n  %-12s%s", subcommand.Name(), subcommand.Short)
	}
	server.Long += "\n\nCommands:" + list.String()
}
