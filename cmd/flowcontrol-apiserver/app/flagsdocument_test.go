package app

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

var updateDocs = flag.Bool("update-docs", false, "write docs/flags.md anew")

const flagsDocument = "../../../docs/flags.md"

func TestFlagsDocumentShowsEveryFlagByTheme(t *testing.T) {
	written := writeFlagsDocument()
	NewCommand(context.Background(), io.Discard).Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "version" && f.Name != "help" && f.Deprecated == "" {
			require.Contains(t, written, "| `--"+f.Name+"` |")
		}
	})
}

// writeFlagsDocument returns the text of --help as a Markdown page.
func writeFlagsDocument() string {
	var text strings.Builder
	text.WriteString("# Flags\n\nWhat `flowcontrol-apiserver --help` says, by theme. Flags that kube-apiserver has too\n" +
		"have its names and meanings. Made from the program by `make update-docs`.\n")
	sets := NewOptions().Flags()
	for _, name := range sets.Order {
		fmt.Fprintf(&text, "\n## %s\n\n| flag | default | meaning |\n|---|---|---|\n", strings.ToUpper(name[:1])+name[1:])
		sets.FlagSets[name].VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && f.Deprecated == "" {
				fmt.Fprintf(&text, "| `--%s` | %s | %s |\n", f.Name, defaultOf(f), cell(f.Usage))
			}
		})
	}
	return text.String()
}

// defaultOf returns a flag's default, or "" for an empty value. Of feature gates and
// versions the library shows what commands made before have set; their usage has the
// defaults.
func defaultOf(f *pflag.Flag) string {
	if f.Name == "feature-gates" || f.Name == "emulated-version" {
		return ""
	}
	switch f.DefValue {
	case "", "[]", "none", "<nil>":
		return ""
	default:
		return "`" + f.DefValue + "`"
	}
}

// cell escapes a usage text for a cell of a table.
func cell(usage string) string {
	return strings.NewReplacer("|", `\|`, "\n", "<br>", "<", "&lt;", ">", "&gt;").Replace(usage)
}
