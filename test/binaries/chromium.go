package binaries

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Chromium returns the path of a Chromium or Chrome. If the machine has none, it is
// installed from Debian's packages, which needs root. Only the long lane needs it.
func Chromium(ctx context.Context) (string, error) {
	if path := installedChromium(); path != "" {
		return path, nil
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil || os.Geteuid() != 0 {
		return "", errors.New("no chromium, chromium-browser or google-chrome is on the PATH: install one")
	}
	unlock, err := lock(filepath.Join(os.TempDir(), ".chromium.lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	if path := installedChromium(); path != "" {
		return path, nil // by another process
	}
	for _, args := range [][]string{{"update"}, {"install", "--yes", "--no-install-recommends", "chromium"}} {
		cmd := exec.CommandContext(ctx, apt, args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if output, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("installing chromium: %q: %w\n%s", cmd.Args, err, output)
		}
	}
	if path := installedChromium(); path != "" {
		return path, nil
	}
	return "", errors.New("installing chromium: it is not on the PATH")
}

// installedChromium returns the path of an installed Chromium, or "".
func installedChromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
