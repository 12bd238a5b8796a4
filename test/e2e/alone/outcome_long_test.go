//go:build long

package alone

import (
	"debug/buildinfo"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// outcome is what a client showed.
type outcome struct {
	version string
	// works lists what works as it is.
	works []string
	// needs lists what does not, and the word that makes it work.
	needs []string
}

// told reads the lines of a program that tell of its steps: "works: STEP".
func told(output string) outcome {
	var o outcome
	for line := range strings.Lines(output) {
		if step, works := strings.CutPrefix(strings.TrimSpace(line), "works: "); works {
			o.works = append(o.works, step)
		}
	}
	return o
}

// result is a row of the table.
type result struct {
	client
	outcome
}

// table returns the table.
func table(results []result) string {
	var text strings.Builder
	text.WriteString("\n| client | version | how | works as it is | needs a word |\n|---|---|---|---|---|\n")
	for i, r := range results {
		works := strings.Join(r.works, ", ")
		if i > 0 && results[i-1].title == r.title {
			works = compared(results[i-1].works, r.works)
		}
		needs := strings.Join(r.needs, "; ")
		if needs == "" {
			needs = "nothing"
		}
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %s |\n", r.title, r.version, r.how, works, needs)
	}
	return text.String() + "\n"
}

// compared says what works, beside the release in the row above.
func compared(above, works []string) string {
	text := "the same"
	without := func(all, some []string) string {
		return strings.Join(slices.DeleteFunc(slices.Clone(all), func(what string) bool { return slices.Contains(some, what) }), ", ")
	}
	if more := without(works, above); more != "" {
		text += " and " + more
	}
	if less := without(above, works); less != "" {
		text += " except " + less
	}
	return text
}

// moduleVersion returns the version of a module in a program.
func moduleVersion(t *testing.T, path, module string) string {
	t.Helper()
	info, err := buildinfo.ReadFile(path)
	require.NoError(t, err)
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == module {
			if m.Replace != nil {
				m = m.Replace
			}
			return strings.TrimPrefix(m.Version, "v")
		}
	}
	t.Fatalf("%s has no module %s", path, module)
	return ""
}
