package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
)

const (
	memberName = "member"
	// firstStartName is a file in a store that has stored nothing yet.
	firstStartName    = "first-start"
	firstStartContent = "The first start of etcd in this directory is in progress, or was interrupted. It has stored nothing, and the next start removes it.\n"
)

// prepareStore makes the directory of etcd ready for a start. It marks a new store, removes what an
// interrupted first start left beside its mark, and checks the data of any other. Data that somebody
// copied beside a mark are kept: the error says what to do.
func prepareStore(directory string) error {
	member := filepath.Join(directory, memberName)
	if err := errors.Join(ensurePrivateDirectory(directory), ensurePrivateDirectory(member)); err != nil {
		return err
	}
	entries, err := os.ReadDir(member)
	if err != nil {
		return err
	}
	marked, err := exists(filepath.Join(member, firstStartName))
	switch {
	case err != nil:
		return err
	case marked && holdsKeys(filepath.Join(member, "snap", "db")):
		return fmt.Errorf("it holds data, although %s says that its first start was interrupted; remove that file to use the data",
			filepath.Join(member, firstStartName))
	case marked:
		for _, entry := range entries {
			if entry.Name() != firstStartName {
				err = errors.Join(err, os.RemoveAll(filepath.Join(member, entry.Name())))
			}
		}
		return err
	case len(entries) > 0:
		return checkData(member)
	}
	// In one step: a file that was being written would make the store look like one with data.
	mark := filepath.Join(directory, firstStartName)
	if err := writeAndSync(mark, []byte(firstStartContent), secretMode); err != nil {
		return err
	}
	if err := os.Rename(mark, filepath.Join(member, firstStartName)); err != nil {
		return err
	}
	return errors.Join(SyncDirectory(member), SyncDirectory(directory))
}

// holdsKeys reports whether a database has a revision of a key.
func holdsKeys(database string) (holds bool) {
	_ = ViewDatabase(database, func(tx *bolt.Tx) error { // an interrupted start may leave half a file
		if keys := tx.Bucket([]byte("key")); keys != nil {
			first, _ := keys.Cursor().First()
			holds = first != nil
		}
		return nil
	})
	return holds
}

// completeFirstStart removes the mark durably. If it reappeared after a loss of power, the
// next start would remove what was stored since.
func completeFirstStart(directory string) error {
	member := filepath.Join(directory, memberName)
	switch err := os.Remove(filepath.Join(member, firstStartName)); {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("the first start cannot be completed: %w", err)
	}
	return SyncDirectory(member)
}
