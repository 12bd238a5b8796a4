package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// step is a part of a run.
type step struct {
	name string
	// needs is the step without which this one cannot run; empty: none.
	needs string
	// advice says what the result asks; empty: nothing.
	advice string
	run    func(context.Context) error
}

// perform runs steps, and returns the names of the steps that failed or could not run.
func perform(ctx context.Context, out io.Writer, steps []step) (failed []string) {
	missing := map[string]bool{}
	for _, s := range steps {
		if ctx.Err() != nil {
			return failed
		}
		fmt.Fprintf(out, "\n== %s\n", s.name)
		if s.advice != "" {
			fmt.Fprintln(out, s.advice)
		}
		err := fmt.Errorf("step %q is needed first", s.needs)
		if !missing[s.needs] {
			err = s.run(ctx)
		}
		if err != nil {
			fmt.Fprintf(out, "FAILED: %v\n", err)
			missing[s.name] = true
			failed = append(failed, s.name)
		}
	}
	return failed
}

// command runs a program in a folder. What it prints is shown.
func (n *next) command(ctx context.Context, folder, name string, arguments ...string) error {
	cmd := exec.CommandContext(ctx, name, arguments...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, n.out, n.out
	cmd.Env = append(os.Environ(), n.environment...)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w of %s", err, strings.Join(slices.Concat(n.environment, []string{name}, arguments), " "))
	}
	return nil
}

// output returns what a program prints.
func (n *next) output(ctx context.Context, folder, name string, arguments ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, arguments...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), n.environment...)
	content, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(string(exit.Stderr)))
	}
	return content, err
}
