package command

import (
	"context"
	"os"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/component-base/term"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
)

// Environment is what commands use of their process.
type Environment struct {
	genericiooptions.IOStreams
	Clock utilclock.WithTicker
	// Width returns the width of the terminal that Out is, in characters; 0 if it is
	// none.
	Width func() int
}

// wait waits for a time, and reports whether it passed before the context ended.
func (e Environment) wait(ctx context.Context, d time.Duration) bool {
	return clock.Wait(ctx, e.Clock, d)
}

// Process returns the environment of the process.
func Process() Environment {
	return Environment{
		IOStreams: genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr},
		Clock:     utilclock.RealClock{},
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
