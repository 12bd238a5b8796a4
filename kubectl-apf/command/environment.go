package command

import (
	"os"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/component-base/term"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// Environment is what commands use of their process.
type Environment struct {
	genericiooptions.IOStreams
	Clock clock.WithTicker
	// Width returns the width of the terminal that Out is, in characters; 0 if it is
	// none.
	Width func() int
	// control writes a control sequence to the terminal. Run sets it.
	control func(sequence string) error
}

const (
	// clearTerminal moves the cursor to the top of a terminal, and clears it.
	clearTerminal = "\x1b[H\x1b[2J\x1b[3J"
	// replaceLines moves the cursor up a number of lines, and clears what follows.
	replaceLines = "\x1b[%dA\x1b[J"
)

// withPrintableOutput returns the environment with outputs that write no control characters.
func (e Environment) withPrintableOutput() Environment {
	terminal := e.Out
	e.control = func(sequence string) error { return writeText(terminal, sequence) }
	e.Out, e.ErrOut = table.Printable(e.Out), table.Printable(e.ErrOut)
	return e
}

// Process returns the environment of the process.
func Process() Environment {
	return Environment{
		IOStreams: genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr},
		Clock:     clock.RealClock{},
		Width: func() int {
			if !printers.IsTerminal(os.Stdout) {
				return 0
			}
			width, _, err := term.TerminalSize(os.Stdout)
			if err != nil {
				return 0
			}
			return width
		},
	}
}
