package record

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Log is a log of one server, or a directory of its logs.
type Log struct {
	// Replica is the name of the server; it may be empty.
	Replica string
	// Path is a file or a directory.
	Path string
}

// ParseLog reads a Log from PATH or REPLICA=PATH. A path that has an equals sign must
// begin with a slash or a dot.
func ParseLog(text string) (Log, error) {
	replica, path, named := strings.Cut(text, "=")
	if !named || strings.HasPrefix(text, ".") || filepath.IsAbs(text) {
		replica, path = "", text
	}
	if path == "" || named && replica == "" && path != text {
		return Log{}, fmt.Errorf("the log %q must be PATH or REPLICA=PATH", text)
	}
	return Log{replica, path}, nil
}

// file is a file of a log.
type file struct {
	Log
	// listed reports whether it was found in a directory, where other files are skipped.
	listed bool
}

// files returns the files of logs, those of a directory by their names, each once.
func files(logs []Log) ([]file, error) {
	var all []file
	seen := map[string]bool{}
	for _, log := range logs {
		paths, listed, err := filesOf(log.Path)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			absolute, err := filepath.Abs(path)
			if err != nil {
				return nil, err
			}
			if !seen[absolute] {
				seen[absolute] = true
				all = append(all, file{Log{log.Replica, path}, listed})
			}
		}
	}
	return all, nil
}

func filesOf(path string) (paths []string, listed bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, false, err
	}
	if !info.IsDir() {
		return []string{path}, false, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, false, err
	}
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			paths = append(paths, filepath.Join(path, entry.Name()))
		}
	}
	slices.Sort(paths)
	if len(paths) == 0 {
		return nil, false, fmt.Errorf("the directory %s has no files", path)
	}
	return paths, true, nil
}
