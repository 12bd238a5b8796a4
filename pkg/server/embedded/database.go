package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	bolt "go.etcd.io/bbolt"
)

const (
	// etcdMajor and etcdMinor are the release of etcd in this server, which also
	// reads the data of older releases.
	etcdMajor = 3
	etcdMinor = 5

	// databaseLockTimeout is how long another program may hold the database.
	databaseLockTimeout = time.Second

	firstStartName    = "first-start"
	firstStartContent = "The first start of etcd in this directory is in progress, or was interrupted.\nNothing has been stored yet; the next start removes the data and starts over.\n"
)

// firstStart is a start during which nothing is stored. Its marker file exists
// until it is complete.
type firstStart struct {
	marker string
}

// prepareEtcdDirectory creates the directory of etcd, removes the data of an
// interrupted first start, and checks other data.
func prepareEtcdDirectory(directory string) (*firstStart, error) {
	if err := ensurePrivateDirectory(directory); err != nil {
		return nil, err
	}
	first := &firstStart{marker: filepath.Join(directory, firstStartName)}
	member := filepath.Join(directory, "member")

	marked, err := exists(first.marker)
	if err != nil {
		return nil, err
	}
	stored, err := exists(member)
	if err != nil {
		return nil, err
	}
	switch {
	case marked:
		return first, os.RemoveAll(member)
	case stored:
		return first, checkData(member)
	default:
		if err := writeFileAtomically(first.marker, []byte(firstStartContent), secretMode); err != nil {
			return nil, err
		}
		return first, syncDirectory(directory)
	}
}

// checkData checks data before etcd opens them. Etcd would take a database without
// a log for that of a new cluster.
func checkData(member string) error {
	database, logs := filepath.Join(member, "snap", "db"), filepath.Join(member, "wal")
	present, err := exists(database)
	if err != nil || !present {
		return err
	}
	names, err := filepath.Glob(filepath.Join(logs, "*.wal"))
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("the data are incomplete: there is a database, %s, but no log in %s", database, logs)
	}
	return checkDatabase(database)
}

// complete removes the marker durably. If it came back after a loss of power, the
// next start would remove what was stored since.
func (f *firstStart) complete() error {
	marked, err := exists(f.marker)
	if err != nil || !marked {
		return err
	}
	if err := os.Remove(f.marker); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(f.marker))
}

// checkDatabase reads etcd's database once from end to end. In etcd's own
// goroutines a damaged page would end the process with a stack trace, and etcd
// does not check the version in it.
func checkDatabase(path string) (err error) {
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
		return tx.ForEach(func(_ []byte, bucket *bolt.Bucket) error {
			return bucket.ForEach(func(_, _ []byte) error { return nil })
		})
	})
	return errors.Join(err, database.Close())
}

// newerDataError is the error for data of a newer release of etcd.
type newerDataError struct{ version string }

var _ error = (*newerDataError)(nil)

func (e *newerDataError) Error() string {
	return fmt.Sprintf("the data were written by etcd %s, and this server has etcd %d.%d; use the newer server that wrote them, or restore a backup made before it", e.version, etcdMajor, etcdMinor)
}

func checkVersion(tx *bolt.Tx) error {
	cluster := tx.Bucket([]byte("cluster"))
	if cluster == nil {
		return nil
	}
	version := string(cluster.Get([]byte("clusterVersion")))
	if version == "" {
		return nil
	}
	var major, minor int
	if _, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil {
		return fmt.Errorf("the version of the data is %q, where one like %d.%d.0 is expected", version, etcdMajor, etcdMinor)
	}
	if major > etcdMajor || major == etcdMajor && minor > etcdMinor {
		return &newerDataError{version: version}
	}
	return nil
}
