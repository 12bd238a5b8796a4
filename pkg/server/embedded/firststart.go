package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

const (
	firstStartName    = "first-start"
	firstStartContent = "The first start of etcd in this directory is under way, or was interrupted.\nNobody has written anything yet; the next start begins anew.\n"
)

// firstStart is the mark that says that nothing has been stored yet.
type firstStart struct {
	mark string
}

// prepareEtcdDirectory makes the directory of etcd and clears away what an
// interrupted first start left in it.
func prepareEtcdDirectory(directory string) (*firstStart, error) {
	if err := makePrivateDirectory(directory); err != nil {
		return nil, err
	}
	first := &firstStart{mark: filepath.Join(directory, firstStartName)}
	member := filepath.Join(directory, "member")

	marked, err := exists(first.mark)
	if err != nil {
		return nil, err
	}
	begun, err := exists(member)
	if err != nil {
		return nil, err
	}
	switch {
	case marked:
		return first, os.RemoveAll(member)
	case begun:
		return first, inspect(member)
	default:
		if err := writeFileAtomically(first.mark, []byte(firstStartContent), secretMode); err != nil {
			return nil, err
		}
		return first, syncDirectory(directory)
	}
}

// inspect looks at data before etcd does. Etcd would take a database without a
// log for that of a new cluster.
func inspect(member string) error {
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
	return inspectDatabase(database)
}

// done takes the mark away for good: were it to come back after a loss of power,
// the next start would remove what has been stored since.
func (f *firstStart) done() error {
	marked, err := exists(f.mark)
	if err != nil || !marked {
		return err
	}
	if err := os.Remove(f.mark); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(f.mark))
}

func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
