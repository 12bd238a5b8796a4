package embedded

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	bolt "go.etcd.io/bbolt"
)

// etcdMajor and etcdMinor are the release of etcd whose data this server keeps;
// data of an older one are taken along.
const (
	etcdMajor = 3
	etcdMinor = 5
)

// databaseLockPatience is how long another program may hold the database.
const databaseLockPatience = time.Second

// inspectDatabase reads etcd's database once from end to end before etcd does.
// Etcd opens it in goroutines where a damaged page ends the whole process with a
// stack trace, and it does not look at the version in it.
func inspectDatabase(path string) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("database %s is damaged: %v", path, problem)
		}
	}()
	database, err := bolt.Open(path, secretMode, &bolt.Options{ReadOnly: true, Timeout: databaseLockPatience})
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

// newerDataError says that the data are of an etcd newer than this one.
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
