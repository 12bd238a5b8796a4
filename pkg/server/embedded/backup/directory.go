package backup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

const (
	namePrefix = "flowcontrol-apiserver-"
	timeFormat = "20060102T150405Z"
)

// Directory is a directory of snapshots that a server takes by itself. Their names
// have the time and the revision:
//
//	flowcontrol-apiserver-20260131T040000Z-r00000000000000001234.db
//
// Files of other names are never touched. Use one directory for one server.
type Directory struct {
	// Path is the path of the directory.
	Path string
	// Prefix begins the server's keys.
	Prefix string
}

// File is a snapshot in a Directory.
type File struct {
	Path string `json:"path"`
	// Time is when it was taken, by the clock of the server, to the second.
	Time time.Time `json:"time"`
	// Revision is the store's.
	Revision int64 `json:"revision"`
	// Size is the size of the file in bytes.
	Size int64 `json:"sizeBytes"`
}

// Take takes a snapshot.
func (d Directory) Take(ctx context.Context, client *clientv3.Client, now time.Time) (*Snapshot, error) {
	if err := os.MkdirAll(d.Path, 0o700); err != nil {
		return nil, writeError(d.Path, err)
	}
	return save(ctx, client, d.Path, d.Prefix, func(s *Snapshot) string { return fileName(now, s.Revision) })
}

// Files returns the snapshots, the oldest first: by revision, and by time at the same
// revision. So a clock that is set back or forth does not change their order. A
// directory that does not exist has none.
func (d Directory) Files() ([]File, error) {
	entries, err := os.ReadDir(d.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("snapshots in %s: %w", d.Path, err)
	}
	var files []File
	for _, entry := range entries {
		taken, revision, ok := parseFileName(entry.Name())
		if !ok || !entry.Type().IsRegular() {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			return nil, fmt.Errorf("snapshots in %s: %w", d.Path, err)
		}
		files = append(files, File{Path: filepath.Join(d.Path, entry.Name()), Time: taken, Revision: revision, Size: info.Size()})
	}
	slices.SortFunc(files, func(a, b File) int {
		return cmp.Or(cmp.Compare(a.Revision, b.Revision), a.Time.Compare(b.Time))
	})
	return files, nil
}

// Prune removes the oldest snapshots, so that number of them remain, and returns the
// paths that it removed. It never removes the snapshot at keep.
func (d Directory) Prune(number int, keep string) (removed []string, err error) {
	files, err := d.Files()
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(f File) bool { return f.Path == keep })
	for _, file := range files[:max(0, len(files)-(number-1))] {
		if err := os.Remove(file.Path); err != nil {
			return removed, fmt.Errorf("old snapshot cannot be removed: %w", err)
		}
		removed = append(removed, file.Path)
	}
	return removed, nil
}

// RemovePartial removes what snapshots left that a kill interrupted. Call it while none
// is being taken.
func (d Directory) RemovePartial() error {
	entries, err := os.ReadDir(d.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if partial, _ := filepath.Match(partialPattern, entry.Name()); partial {
			err = errors.Join(err, removeIfExists(filepath.Join(d.Path, entry.Name())))
		}
	}
	return err
}

func fileName(taken time.Time, revision int64) string {
	return fmt.Sprintf("%s%s-r%020d.db", namePrefix, taken.UTC().Format(timeFormat), revision)
}

func parseFileName(name string) (taken time.Time, revision int64, ok bool) {
	parts := regexp.MustCompile(`^` + namePrefix + `(\d{8}T\d{6}Z)-r(\d{20})\.db$`).FindStringSubmatch(name)
	if parts == nil {
		return time.Time{}, 0, false
	}
	taken, err := time.Parse(timeFormat, parts[1])
	if err != nil {
		return time.Time{}, 0, false
	}
	revision, err = strconv.ParseInt(parts[2], 10, 64)
	return taken, revision, err == nil
}
