package harness

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// createLog makes the file for the output of a program that a test runs:
// .cache/test/logs/PACKAGE/TEST/PROGRAM-N.log, from the top of the repository.
// Files of a test that failed stay there; empty
// folders too, because a test beside may just be about to use one.
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

// fileName makes a path of the name of a test, whose subtests become folders.
func fileName(test string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`<>:"\\|?*,;()[]{}'$&!`, r) {
			return '-'
		}
		return r
	}, test)
}
