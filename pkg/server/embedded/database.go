package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"
	"go.etcd.io/etcd/api/v3/version"
)

// databaseLockTimeout is how long another program may hold the database.
const databaseLockTimeout = time.Second

// releaseOf returns the release of a version of etcd.
func releaseOf(version string) (major, minor int, err error) {
	_, err = fmt.Sscanf(version, "%d.%d", &major, &minor)
	return major, minor, err
}

// checkData checks data before etcd opens them. Etcd would mistake a database without a log for a
// new cluster's. In etcd's own goroutines a damaged page would end the process with a stack trace, and
// etcd does not check the version in the database.
func checkData(member string) error {
	database, logs := filepath.Join(member, "snap", "db"), filepath.Join(member, "wal")
	present, err := exists(database)
	if err != nil || !present {
		return err
	}
	entries, err := os.ReadDir(logs)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if !slices.ContainsFunc(entries, func(entry os.DirEntry) bool { return filepath.Ext(entry.Name()) == ".wal" }) {
		return fmt.Errorf("the data are incomplete: there is a database, %s, but no log in %s", database, logs)
	}
	return ViewDatabase(database, ReadAll)
}

// ReadAll reads every bucket, and so every page.
func ReadAll(tx *bolt.Tx) error {
	return tx.ForEach(func(_ []byte, bucket *bolt.Bucket) error {
		return bucket.ForEach(func(_, _ []byte) error { return nil })
	})
}

// ViewDatabase opens a database of etcd, which may be a snapshot, checks that this
// server can read its version, and calls view in a transaction. It changes nothing.
//
// The error says whether the file is no database, damaged, in use, or of a newer etcd; or it is
// view's.
func ViewDatabase(path string, view func(*bolt.Tx) error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("database %s is damaged: %v", path, problem)
		}
	}()
	database, err := bolt.Open(path, secretMode, &bolt.Options{ReadOnly: true, Timeout: databaseLockTimeout})
	if errors.Is(err, bolt.ErrTimeout) {
		return fmt.Errorf("database %s is in use by another program; stop it", path)
	}
	if err != nil {
		return fmt.Errorf("database %s cannot be opened: %w", path, err)
	}
	err = database.View(func(tx *bolt.Tx) error {
		if err := checkVersion(tx); err != nil {
			return err
		}
		return view(tx)
	})
	return errors.Join(err, database.Close())
}

// newerDataError says that data are of a newer release of etcd.
type newerDataError string

func (e newerDataError) Error() string { return string(e) }

func checkVersion(tx *bolt.Tx) error {
	cluster := tx.Bucket([]byte("cluster"))
	if cluster == nil {
		return nil
	}
	written := string(cluster.Get([]byte("clusterVersion")))
	if written == "" {
		return nil
	}
	major, minor, err := releaseOf(written)
	if err != nil {
		return fmt.Errorf("the version of the data is %q, where one like %s is expected", written, version.Version)
	}
	// This server also reads the data of older releases.
	if ownMajor, ownMinor, err := releaseOf(version.Version); err != nil || major > ownMajor || major == ownMajor && minor > ownMinor {
		return newerDataError(fmt.Sprintf("the data were written by etcd %s, and this server has etcd %s; use the newer server that wrote them, or restore a backup made before it", written, version.Version))
	}
	return nil
}
