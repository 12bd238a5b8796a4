package binaries

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// modulePath is the path of the module at the top of the repository. The
// modules below it have longer paths.
const modulePath = "github.com/flowcontrol-apiserver/flowcontrol-apiserver"

// Root returns the top folder of the repository: the nearest folder at or above the working
// directory with the product's go.mod.
func Root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		content, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		for line := range strings.Lines(string(content)) {
			if strings.TrimSpace(line) == "module "+modulePath {
				return dir, nil
			}
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod of %s at or above %s: run inside the repository", modulePath, start)
		}
	}
}
