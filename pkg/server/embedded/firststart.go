package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-logr/logr"
)

const (
	firstStartName    = "first-start"
	firstStartContent = "The first start of etcd in this directory is in progress, or was interrupted.\nIt has stored nothing. The next start uses a store with data, as of a restored backup, and replaces an empty one.\n"

	memberName     = "member"
	setAsideSuffix = ".set-aside-"
)

// firstStart is a start during which nothing is stored. Its marker file exists
// until it is complete.
type firstStart struct {
	marker string
}

// prepareEtcdDirectory creates the directory of etcd, clears the way for a first
// start that was interrupted, and checks other data.
func prepareEtcdDirectory(directory string, log logr.Logger) (*firstStart, error) {
	if err := ensurePrivateDirectory(directory); err != nil {
		return nil, err
	}
	first := &firstStart{marker: filepath.Join(directory, firstStartName)}
	member := filepath.Join(directory, memberName)

	marked, err := exists(first.marker)
	if err != nil {
		return nil, err
	}
	stored, err := exists(member)
	if err != nil {
		return nil, err
	}
	switch {
	case marked && stored:
		return first, clearInterruptedStart(member, log)
	case stored:
		return first, checkData(member)
	case marked:
		return first, nil
	default:
		if err := writeFileAtomically(first.marker, []byte(firstStartContent), secretMode); err != nil {
			return nil, err
		}
		return first, SyncDirectory(directory)
	}
}

// clearInterruptedStart decides about a store that is there although the first
// start was interrupted. That start stored nothing, so data in it are of other origin, for example
// a restored backup, and are used. A store without a write is removed; repeated interruptions would
// otherwise fill the disk with logs. Everything else is set aside.
func clearInterruptedStart(member string, log logr.Logger) error {
	state, reason := inspectStore(member)
	switch state {
	case storeFilled:
		log.Info("The first start was interrupted, but the store holds data; using them", "path", member)
		return checkData(member)
	case storeEmpty:
		return os.RemoveAll(member)
	}
	aside, err := SetAside(member)
	if err != nil {
		return err
	}
	log.Info("Set a store aside that is not one of an interrupted first start and cannot be used; starting with an empty store",
		"path", aside, "reason", reason)
	return nil
}

// SetAside renames a store, a directory, to the first free name PATH.set-aside-N and
// returns that name.
func SetAside(path string) (string, error) {
	for n := 1; ; n++ {
		aside := fmt.Sprintf("%s%s%d", path, setAsideSuffix, n)
		taken, err := exists(aside)
		if err != nil {
			return "", err
		}
		if taken {
			continue
		}
		if err := os.Rename(path, aside); err != nil {
			return "", fmt.Errorf("store %s cannot be set aside: %w; move it away", path, err)
		}
		return aside, SyncDirectory(filepath.Dir(path))
	}
}

// complete removes the marker durably. If it came back after a loss of power, the
// next start would inspect what was stored since.
func (f *firstStart) complete() error {
	switch err := os.Remove(f.marker); {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	default:
		return SyncDirectory(filepath.Dir(f.marker))
	}
}
