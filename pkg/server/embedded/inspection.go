package embedded

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	bolt "go.etcd.io/bbolt"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
)

// storeState says what a store of etcd holds.
type storeState int

const (
	// storeUnknown is a store that cannot be read, or has files that a first start
	// does not create.
	storeUnknown storeState = iota
	// storeEmpty is a store without a write.
	storeEmpty
	// storeFilled is a store that holds keys or requests that write keys.
	storeFilled
)

// inspectStore reads a store that no etcd has open. Reason says why the state is
// unknown.
func inspectStore(member string) (state storeState, reason error) {
	filled, err := databaseHoldsKeys(filepath.Join(member, "snap", "db"))
	if filled {
		return storeFilled, nil
	}
	if err != nil {
		return storeUnknown, err
	}
	if err := findOtherFiles(member); err != nil {
		return storeUnknown, err
	}
	switch filled, err = logHoldsRequests(filepath.Join(member, "wal")); {
	case err != nil:
		return storeUnknown, err
	case filled:
		return storeFilled, nil
	default:
		return storeEmpty, nil
	}
}

// databaseHoldsKeys reports whether a database has a revision of a key. A file that
// does not exist or is empty has none.
func databaseHoldsKeys(database string) (holds bool, err error) {
	info, err := os.Stat(database)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case info.Size() == 0:
		return false, nil
	}
	err = ViewDatabase(database, func(tx *bolt.Tx) error {
		if keys := tx.Bucket([]byte("key")); keys != nil {
			first, _ := keys.Cursor().First()
			holds = first != nil
		}
		return nil
	})
	return holds, err
}

// findOtherFiles returns an error that names a file that an interrupted first start
// does not leave.
func findOtherFiles(member string) error {
	return filepath.WalkDir(member, func(found string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(member, found)
		switch {
		case err != nil:
			return err
		case name == "wal.tmp":
			return fs.SkipDir // etcd removes it
		case !ofFirstStart(filepath.ToSlash(name)):
			return fmt.Errorf("%s is not of a first start", found)
		}
		return nil
	})
}

// ofFirstStart reports whether the path, relative to a store, is one of a start that
// stores nothing.
func ofFirstStart(name string) bool {
	for _, pattern := range []string{".", "snap", "snap/db", "snap/db.tmp.*", "snap/tmp*", "wal", "wal/*.wal", "wal/*.tmp"} {
		if match, _ := path.Match(pattern, name); match {
			return true
		}
	}
	return false
}

// logFiles returns the names of the files of a log, none if its directory does not
// exist.
func logFiles(directory string) (names []string, err error) {
	entries, err := os.ReadDir(directory)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, entry := range entries {
		if path.Ext(entry.Name()) == ".wal" {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// logHoldsRequests reports whether a log of etcd, if there is one, has a request
// that writes.
func logHoldsRequests(directory string) (bool, error) {
	files, err := logFiles(directory)
	if err != nil || len(files) == 0 {
		return false, err
	}
	requests, err := readLog(directory)
	return slices.ContainsFunc(requests, isWrite), err
}

// isWrite reports whether a request in the log writes. A starting member describes itself
// in requests that do not.
func isWrite(data []byte) bool {
	if len(bytes.TrimSpace(data)) == 0 {
		return false
	}
	var request etcdserverpb.InternalRaftRequest
	if err := Unmarshal(data, &request); err != nil {
		return false // a request of etcd's version 2: a member publishes itself
	}
	return request.Put != nil || request.DeleteRange != nil || request.Txn != nil || request.Compaction != nil || request.LeaseGrant != nil
}
