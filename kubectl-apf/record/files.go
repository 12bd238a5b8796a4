package record

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/plain"
)

// stdin is the path of standard input.
const stdin = "-"

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
	// listed reports whether it was found in a directory, where other files are left out.
	listed bool
}

// files returns the files of logs, those in a directory and below it by their names, each
// once: /var/log/containers has links to the files in /var/log/pods.
func files(logs []Log) ([]file, error) {
	var all []file
	seen := map[string]bool{}
	for _, log := range logs {
		if log.Path == stdin {
			all = append(all, file{Log: log})
			continue
		}
		paths, listed, err := filesOf(log.Path)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			target, err := filepath.EvalSymlinks(path)
			if err != nil {
				return nil, err
			}
			if target, err = filepath.Abs(target); err != nil {
				return nil, err
			}
			if !seen[target] {
				seen[target] = true
				all = append(all, file{Log{log.Replica, path}, listed})
			}
		}
	}
	return all, nil
}

func filesOf(path string) (paths []string, listed bool, err error) {
	info, err := plain.Stat(path)
	if err != nil {
		return nil, false, err
	}
	if !info.IsDir() {
		return []string{path}, false, nil
	}
	err = filepath.WalkDir(path, func(name string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if target, err := os.Stat(name); err == nil && target.Mode().IsRegular() { // a link may lead nowhere
			paths = append(paths, name)
		}
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	if len(paths) == 0 {
		return nil, false, fmt.Errorf("the directory %s has no files", path)
	}
	return paths, true, nil
}
