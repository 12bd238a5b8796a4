package harness

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// createLog creates the output file of a program that a test runs:
// .cache/test/logs/PACKAGE/TEST/PROGRAM-N.log, below the root of the repository.
// The files of a failed test remain. Empty folders remain too, because a parallel
// test may be about to use one.
func createLog(test, program string) (*os.File, error) {
	root, err := binaries.Root()
	if err != nil {
		return nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	pkg, err := filepath.Rel(root, here)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(root, ".cache", "test", "logs", pkg, filepath.FromSlash(fileName(test)))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return os.CreateTemp(dir, program+"-*.log")
}

// fileName converts the name of a test to a path. Subtests become folders.
func fileName(test string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`<>:"\\|?*,;()[]{}'$&!`, r) {
			return '-'
		}
		return r
	}, test)
}
