package kubectl

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// helperName is the name of this program when kubectl runs it, as its editor and as its program
// that shows differences.
const helperName = "helper"

// The values of the annotation that the editor changes.
const (
	beforeEdit = "to-be-edited"
	afterEdit  = "edited"
)

// addHelper makes a program the helper of kubectl in its home. Without it, as on a Windows
// without symbolic links, edit ends before it sends its changes.
func addHelper(program, home string) {
	if program != "" {
		_ = os.Symlink(program, filepath.Join(home, helperName))
	}
}

// IsHelper reports whether a process with these arguments, its name first, is the helper.
func IsHelper(arguments []string) bool {
	return len(arguments) > 1 && strings.TrimSuffix(filepath.Base(arguments[0]), ".exe") == helperName
}

// Help does what the helper is asked to do: it edits a file, or compares two folders.
func Help(arguments []string) error {
	file := arguments[len(arguments)-1]
	if info, err := os.Stat(file); err != nil || info.IsDir() {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("editing: %w", err)
	}
	return os.WriteFile(file, bytes.ReplaceAll(text, []byte(beforeEdit), []byte(afterEdit)), 0o600)
}
