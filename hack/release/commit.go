package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// commit returns the commit of the repository, its time, and whether files differ from
// it.
func commit(ctx context.Context, root string) (revision string, at time.Time, changed bool, err error) {
	head, err := output(ctx, root, "git", "show", "--no-patch", "--format=%H %cI", "HEAD")
	if err != nil {
		return "", time.Time{}, false, err
	}
	revision, written, _ := strings.Cut(strings.TrimSpace(head), " ")
	if at, err = time.Parse(time.RFC3339, written); err != nil {
		return "", time.Time{}, false, err
	}
	status, err := output(ctx, root, "git", "status", "--porcelain")
	return revision, at, strings.TrimSpace(status) != "", err
}

// output returns what a command writes. Its error has what the command says.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = dir
	var stderr bytes.Buffer
	command.Stderr = &stderr
	written, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return string(written), nil
}
