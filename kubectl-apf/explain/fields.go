package explain

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

const (
	// labelWidth is the width of labels with the space behind them, in characters.
	labelWidth = 17
	// minTextWidth is the least width of wrapped texts.
	minTextWidth = 20
)

// fields are texts with labels, one below the other.
type fields []field

type field struct{ label, text string }

// add adds a text. An empty label continues the text above.
func (f *fields) add(label, text string) { *f = append(*f, field{label, table.Escape(text)}) }

// write writes the fields. Texts are wrapped at the width of the terminal.
func (f fields) write(w io.Writer, options table.Options) error {
	out := bufio.NewWriter(w)
	for _, one := range f {
		lines := []string{one.text}
		if !options.Wide && options.Width > 0 {
			lines = table.Wrap(one.text, max(options.Width-labelWidth, minTextWidth))
		}
		label := one.label
		for _, line := range lines {
			fmt.Fprintln(out, strings.TrimRight(fmt.Sprintf("%-*s%s", labelWidth, label, line), " "))
			label = ""
		}
	}
	return out.Flush()
}
