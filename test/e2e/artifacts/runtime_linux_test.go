//go:build long

package artifacts

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
)

// runtimeMark is the environment variable that makes this program the OCI runtime.
const runtimeMark = "IMAGE_TEST_RUNTIME"

// ofThisMachine returns the variables that tell Go its toolchain and caches.
func ofThisMachine() []string { return []string{"PATH", "GOROOT", "GOMODCACHE", "GOCACHE"} }

func TestMain(m *testing.M) {
	if os.Getenv(runtimeMark) == "" {
		os.Exit(m.Run())
	}
	os.Exit(actAsRuntime(os.Args[1:]))
}

// bundle has the needed fields of an OCI bundle's configuration.
type bundle struct {
	Root    struct{ Path string }
	Process struct {
		Args, Env []string
		Cwd       string
	}
	Mounts []struct {
		Destination, Type, Source string
		Options                   []string
	}
}

// actAsRuntime implements the commands of the OCI runtime that BuildKit uses. It
// executes run and ignores the others, which only clean up.
func actAsRuntime(args []string) int {
	at := slices.Index(args, "--bundle")
	if at < 0 || !slices.Contains(args, "run") {
		return 0
	}
	err := runBundle(args[at+1])
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return exit.ExitCode()
	case err != nil:
		fmt.Fprintln(os.Stderr, "runtime:", err)
		return 1
	}
	return 0
}

// runBundle runs the process of a bundle in its root, with a separate mount
// namespace. A build step needs no isolation of processes or network.
func runBundle(dir string) error {
	content, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil {
		return err
	}
	var b bundle
	if err := json.Unmarshal(content, &b); err != nil {
		return err
	}
	root := b.Root.Path
	if !filepath.IsAbs(root) {
		root = filepath.Join(dir, root)
	}
	// The mount namespace belongs to the thread, which is never unlocked.
	runtime.LockOSThread()
	if err := syscall.Unshare(syscall.CLONE_NEWNS | syscall.CLONE_FS); err != nil {
		return fmt.Errorf("a mount namespace: %w", err)
	}
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	for _, mount := range b.Mounts {
		if mount.Type == "bind" {
			if err := bind(mount.Source, root, mount.Destination); err != nil {
				return err
			}
		}
	}
	temporary, err := os.MkdirTemp(dir, "tmp")
	if err != nil {
		return err
	}
	for _, folder := range machine() {
		if err := bind(folder, root, folder); err != nil {
			return err
		}
	}
	if err := bind(temporary, root, "/tmp"); err != nil {
		return err
	}
	return execute(root, b)
}

func execute(root string, b bundle) error {
	env := b.Process.Env
	for _, name := range ofThisMachine() { // the last value of a name wins
		env = append(env, name+"="+os.Getenv(name))
	}
	syscall.Umask(0o022) // the umask of a container
	process := exec.Cmd{
		Path: b.Process.Args[0], Args: b.Process.Args, Env: env, Dir: b.Process.Cwd, Stdout: os.Stdout, Stderr: os.Stderr,
		SysProcAttr: &syscall.SysProcAttr{Chroot: root, Pdeathsig: syscall.SIGKILL},
	}
	return process.Run()
}

// machine returns the folders of this machine that a build needs: a shell, the Go
// toolchain, and Go's caches. With them the test takes seconds and uses no
// network.
func machine() []string {
	folders := []string{"/bin", "/lib", "/lib64", "/usr", "/dev", "/proc", os.Getenv("GOROOT"), os.Getenv("GOMODCACHE"), os.Getenv("GOCACHE")}
	return slices.DeleteFunc(folders, func(folder string) bool {
		_, err := os.Stat(folder)
		return err != nil
	})
}

// bind mounts a file or folder of this machine below root.
func bind(source, root, target string) error {
	at := filepath.Join(root, target)
	info, err := os.Stat(source)
	if err != nil {
		return err
	}
	if info.IsDir() {
		err = os.MkdirAll(at, 0o755)
	} else if err = os.MkdirAll(filepath.Dir(at), 0o755); err == nil {
		var file *os.File
		if file, err = os.OpenFile(at, os.O_CREATE|os.O_RDONLY, 0o644); err == nil {
			err = file.Close()
		}
	}
	if err != nil {
		return err
	}
	if err := syscall.Mount(source, at, "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
		return fmt.Errorf("showing %s at %s: %w", source, target, err)
	}
	return nil
}
