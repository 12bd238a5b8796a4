package command

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// traceFile is the flags that say where a trace is written.
type traceFile struct {
	name  string
	force bool
}

func (f *traceFile) addFlags(c *cobra.Command) {
	c.Flags().StringVarP(&f.name, "output", "o", "", "The file of the trace. It is compressed if its name ends with .gz, .zst or .zstd.")
	c.Flags().BoolVar(&f.force, "force", false, "Overwrite files that exist.")
}

// validate returns an error unless the file may be written. It comes before long work.
func (f *traceFile) validate() error {
	if f.name == "" {
		return errors.New("-o must be given, the file of the trace")
	}
	return trace.CheckNew(f.name, f.force)
}

// write writes a trace, whose requests each yields, and says what it has. After an error
// the file is as it was before.
func (f *traceFile) write(ctx context.Context, env Environment, header trace.Header, each func(context.Context, func(*trace.Request) error) error) error {
	file, err := trace.Create(f.name, f.force, header)
	if err != nil {
		return err
	}
	defer file.Abort()
	if err := each(ctx, file.Write); err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return err
	}
	return f.say(env, &header)
}

// say writes what the trace has.
func (f *traceFile) say(env Environment, h *trace.Header) error {
	const layout = "2006-01-02T15:04:05Z07:00"
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s requests from %s to %s\n", f.name, strconv.FormatInt(h.Requests, 10), h.Start.UTC().Format(layout), h.End.UTC().Format(layout))
	for _, note := range h.LeftOut.Notes {
		text.WriteString("Note: " + note + "\n")
	}
	return writeText(env.Out, text.String())
}
