package binaries

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Chromium returns the path of a Chromium or Chrome. If the machine has none, it is
// installed from Debian's packages, which needs root. Only the long lane needs it.
func Chromium(ctx context.Context) (string, error) {
	return debian(ctx, []string{"chromium", "chromium-browser", "google-chrome"}, "chromium")
}

// Npm returns the path of npm, as Chromium does.
func Npm(ctx context.Context) (string, error) {
	return debian(ctx, []string{"npm"}, "nodejs", "npm")
}

// debian returns the path of the first of the programs that is on the PATH. If none is, it
// installs the packages.
func debian(ctx context.Context, programs []string, packages ...string) (string, error) {
	if path := installed(programs); path != "" {
		return path, nil
	}
	if err := DebianPackages(ctx, packages...); err != nil {
		return "", fmt.Errorf("no %s is on the PATH: %w", strings.Join(programs, " or "), err)
	}
	if path := installed(programs); path != "" {
		return path, nil
	}
	return "", fmt.Errorf("the packages %s are installed, and no %s is on the PATH", strings.Join(packages, " "), programs[0])
}

// installed returns the path of the first of the programs that is on the PATH, or "".
func installed(programs []string) string {
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// DebianPackages installs the packages that the machine lacks, which needs root. Only the long lane
// needs them.
func DebianPackages(ctx context.Context, packages ...string) error {
	unlock, err := lock(filepath.Join(os.TempDir(), ".debian-packages.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	missing := slices.DeleteFunc(slices.Clone(packages), func(name string) bool {
		_, err := PackageVersion(ctx, name)
		return err == nil
	})
	if len(missing) == 0 {
		return nil
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil || os.Geteuid() != 0 {
		return errors.New("install " + strings.Join(missing, " ") + ": tests do it themselves as root on Debian")
	}
	for _, args := range [][]string{{"update"}, append([]string{"install", "--yes", "--no-install-recommends"}, missing...)} {
		cmd := exec.CommandContext(ctx, apt, args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if output, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("installing %s: %q: %w\n%s", strings.Join(missing, " "), cmd.Args, err, output)
		}
	}
	return nil
}

// PackageVersion returns Debian's upstream version of an installed package of Debian.
func PackageVersion(ctx context.Context, name string) (string, error) {
	output, err := exec.CommandContext(ctx, "dpkg-query", "--show", "--showformat=${db:Status-Status} ${source:Upstream-Version}", name).Output()
	if err != nil {
		return "", fmt.Errorf("dpkg-query %s: %w", name, err)
	}
	status, version, _ := strings.Cut(string(output), " ")
	if status != "installed" {
		return "", fmt.Errorf("the package %s is %s", name, status)
	}
	return version, nil
}
