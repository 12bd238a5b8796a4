package binaries

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// ClockVariable is the environment variable that names the file that sets the clock of a program
// wrong, see WrongClock.
const ClockVariable = "FLOWCONTROL_TEST_CLOCK"

// wrongClockProgram shares no compiled package with other programs, since all import time.
func wrongClockProgram() program {
	p := serverProgram()
	p.name = "flowcontrol-apiserver-wrong-clock"
	p.prepare = func(ctx context.Context, root string) ([]string, error) {
		return []string{"-overlay=" + overlayOf(root)}, writeOverlay(ctx, root)
	}
	return p
}

// overlayOf returns the path of the file that makes the go command compile another package time.
func overlayOf(root string) string {
	return filepath.Join(root, ".cache", "wrongclock", "overlay.json")
}

// readsClock is the statement of time.Now that reads the wall clock.
var readsClock = regexp.MustCompile(`(?m)^\tsec, nsec, mono := \w+\(\)$`)

// writeOverlay writes that file, and the source of time.Now that it names.
func writeOverlay(ctx context.Context, root string) error {
	goroot, err := run(ctx, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	original := filepath.Join(strings.TrimSpace(goroot), "src", "time", "time.go")
	source, err := os.ReadFile(original)
	if err != nil {
		return err
	}
	if found := len(readsClock.FindAll(source, -1)); found != 1 {
		return fmt.Errorf("%s reads the clock in %d places by %v, and must in one: this release of Go needs another expression", original, found, readsClock)
	}
	changed := filepath.Join(filepath.Dir(overlayOf(root)), "time.go")
	if err := os.MkdirAll(filepath.Dir(changed), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(changed, readsClock.ReplaceAll(source, []byte("$0\n\tsec += SecondsAhead()")), 0o644); err != nil {
		return err
	}
	content, err := json.Marshal(map[string]map[string]string{"Replace": {
		original: changed,
		filepath.Join(filepath.Dir(original), "wrongclock.go"): filepath.Join(root, "test", "binaries", "wrongclock", "time", "clock.go"),
	}})
	if err != nil {
		return err
	}
	return os.WriteFile(overlayOf(root), content, 0o644)
}
