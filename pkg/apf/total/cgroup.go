package total

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

const (
	// membership lists the cgroups of the process, one line each:
	// hierarchy:controllers:path. Version 2 is the hierarchy 0, without controllers.
	membership = "proc/self/cgroup"
	// mounts is where the hierarchies are mounted: version 2 here, version 1 in a
	// directory for each controller.
	mounts = "sys/fs/cgroup"
)

// cgroup is where the files of one controller are.
type cgroup struct {
	version     int      // 1 or 2
	directories []string // of the cgroup of the process and of its parents, to the top
}

// findCgroup finds the cgroup of the process that has a controller.
func findCgroup(root fs.FS, controller string) (cgroup, error) {
	text, err := fs.ReadFile(root, membership)
	if err != nil {
		return cgroup{}, fmt.Errorf("reading the cgroups of this process: %w", err)
	}
	unified := ""
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(parts) != 3:
			continue
		case slices.Contains(strings.Split(parts[1], ","), controller):
			return cgroup{version: 1, directories: parents(path.Join(mounts, controller), parts[2])}, nil
		case parts[0] == "0" && parts[1] == "":
			unified = parts[2]
		}
	}
	if unified == "" {
		return cgroup{}, fmt.Errorf("/%s names no cgroup with the controller %s", membership, controller)
	}
	return cgroup{version: 2, directories: parents(mounts, unified)}, nil
}

// parents returns the directory name below top and all directories between them.
func parents(top, name string) []string {
	var directories []string
	for name = path.Clean("/" + name); ; name = path.Dir(name) {
		directories = append(directories, path.Join(top, name))
		if name == "/" {
			return directories
		}
	}
}

// readNumber reads a file with one number; "max" is the largest.
func readNumber(root fs.FS, name string) (uint64, error) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, err
	}
	if trimmed := strings.TrimSpace(string(text)); trimmed != "max" {
		return parseNumber(name, trimmed)
	}
	return 1<<64 - 1, nil
}

// readField reads the number after a key in a file with a key and a number in each line.
// It reports whether the key is there.
func readField(root fs.FS, name, key string) (uint64, bool, error) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, key+" "); ok {
			number, err := parseNumber(name, strings.TrimSpace(value))
			return number, err == nil, err
		}
	}
	return 0, false, nil
}

func parseNumber(name, text string) (uint64, error) {
	number, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("/%s has %q where a number must be", name, text)
	}
	return number, nil
}
