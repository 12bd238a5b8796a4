package total

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// unlimited is the least limit that means none: the runtime has the largest int64, and
// cgroups of version 1 round that down to a page.
const unlimited = 1 << 62

// errNoLimit means that there is no limit of the memory.
var errNoLimit = errors.New("no memory limit: neither GOMEMLIMIT nor a limit of the cgroup is set")

// goMemory is the memory of the Go runtime in bytes.
type goMemory struct {
	limit   uint64 // GOMEMLIMIT
	pinned  uint64 // what a collection would not free
	garbage uint64 // what a collection would free, or has freed
}

func (m goMemory) limited() bool { return m.limit > 0 && m.limit < unlimited }

// memory returns the part of the closer limit that is in use.
func memory(root fs.FS, own goMemory) (float64, error) {
	ratio, err := cgroupMemory(root, own)
	if !own.limited() {
		return ratio, err
	}
	share := float64(own.pinned) / float64(own.limit)
	if err == nil {
		share = max(share, ratio)
	}
	return share, nil
}

// cgroupMemory returns the part of its limit that the cgroup uses, or a parent of it if
// that is closer to its own.
func cgroupMemory(root fs.FS, own goMemory) (float64, error) {
	group, err := findCgroup(root, "memory")
	if err != nil {
		return 0, err
	}
	files := memoryFilesOf(group.version)
	closest, found, limited := 0.0, false, false
	for _, directory := range group.directories {
		limit, err := readNumber(root, path.Join(directory, files.limit))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, err
		}
		found = true
		if limit == 0 || limit >= unlimited {
			continue
		}
		used, err := files.used(root, directory)
		if err != nil {
			return 0, err
		}
		if own.limited() && own.limit <= limit {
			used -= min(used, own.garbage)
		}
		limited = true
		closest = max(closest, float64(used)/float64(limit))
	}
	switch {
	case !found:
		return 0, fmt.Errorf("the cgroup of this process has no file %s", files.limit)
	case !limited:
		return 0, errNoLimit
	default:
		return closest, nil
	}
}

// memoryFiles are the files of the memory controller, and the keys of the file pages in
// the file stat.
type memoryFiles struct {
	limit, usage, stat string
	pages              []string
}

func memoryFilesOf(version int) memoryFiles {
	if version == 1 {
		return memoryFiles{"memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat", []string{"total_inactive_file", "total_active_file"}}
	}
	return memoryFiles{"memory.max", "memory.current", "memory.stat", []string{"inactive_file", "active_file"}}
}

// used returns the usage in bytes without file pages.
func (f memoryFiles) used(root fs.FS, directory string) (uint64, error) {
	usage, err := readNumber(root, path.Join(directory, f.usage))
	if err != nil {
		return 0, err
	}
	for _, key := range f.pages {
		pages, _, err := readField(root, path.Join(directory, f.stat), key)
		if err != nil {
			return 0, err
		}
		usage -= min(usage, pages)
	}
	return usage, nil
}
