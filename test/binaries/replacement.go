package binaries

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Replacement makes the module to build programs and tests of a Kubernetes release, such as
// 1.33.13, with pkg/apf in place of the library's engine. It returns the module's folder, where the
// go command needs -mod=mod.
func Replacement(ctx context.Context, release string) (folder string, err error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	script := filepath.Join(root, "test", "replacement", "module.sh")
	var problems strings.Builder
	command := exec.CommandContext(ctx, script, release)
	command.Stderr = &problems
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", script, release, err, problems.String())
	}
	return strings.TrimSpace(string(output)), nil
}
