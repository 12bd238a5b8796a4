package backup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	bolt "go.etcd.io/bbolt"
	"go.etcd.io/etcd/client/pkg/v3/types"
	"go.uber.org/zap"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

// restoringSuffix ends the name of the directory where the data of a member are made.
const restoringSuffix = ".restoring"

// MemberOptions say what is restored to a member of an etcd cluster.
type MemberOptions struct {
	// Snapshot is the path of the snapshot.
	Snapshot string
	// DataDir is the data directory of the member.
	DataDir string
	// Prefix begins the server's keys.
	Prefix string
	// Name, InitialCluster and ClusterToken are from the member's own flags.
	Name, InitialCluster, ClusterToken string
	// Time is the time of the restore, which determines the revision. It must be the same for all
	// members.
	Time time.Time
	Log  logr.Logger
}

// RestoredMember is the result of RestoreMember.
type RestoredMember struct {
	Restored
	// SetAside is where the data are that were in the data directory; empty if there
	// were none.
	SetAside string
}

// RestoreMember makes the data of a member of a snapshot. All members must be stopped, and
// each is restored from the same snapshot. Data that are in its directory are set aside. On
// error nothing changes. Ctx ends the restore before it replaces the data.
func RestoreMember(ctx context.Context, options MemberOptions) (*RestoredMember, error) {
	peers, err := peerURLs(options.InitialCluster, options.Name)
	if err != nil {
		return nil, err
	}
	verified, err := Verify(options.Snapshot, options.Prefix)
	if err != nil {
		return nil, err
	}
	if err := verified.Check(); err != nil {
		return nil, fmt.Errorf("snapshot %s is not of a server of flow control: %w", options.Snapshot, err)
	}
	if err := checkStopped(options.DataDir); err != nil {
		return nil, err
	}
	restored := &RestoredMember{Restored: Restored{Snapshot: verified, Revision: nextRevision(verified.Revision, options.Time)}}
	member := embedded.Member{Name: options.Name, PeerURL: strings.Join(peers, ","), InitialCluster: options.InitialCluster, ClusterToken: options.ClusterToken}
	made := filepath.Clean(options.DataDir) + restoringSuffix
	if err := os.RemoveAll(made); err != nil { // of an interrupted restore
		return nil, err
	}
	if err := restored.makeMember(ctx, made, member, options); err != nil {
		return nil, errors.Join(err, os.RemoveAll(made))
	}
	return restored, restored.replace(made, filepath.Clean(options.DataDir))
}

// peerURLs returns the peer URLs of a member of a cluster.
func peerURLs(cluster, name string) ([]string, error) {
	members, err := types.NewURLsMap(cluster)
	if err != nil {
		return nil, fmt.Errorf("initial cluster %q: %w; list the members as NAME=URL, separated by commas", cluster, err)
	}
	urls, found := members[name]
	if !found {
		return nil, fmt.Errorf("initial cluster has no member %s: its members are %s", name, strings.Join(slices.Sorted(maps.Keys(members)), ", "))
	}
	return urls.StringSlice(), nil
}

// checkStopped returns an error if a member runs on the directory. No data, or damaged ones,
// are no error: they are to be replaced.
func checkStopped(dataDir string) error {
	database, err := bolt.Open(databaseOf(dataDir), 0o600, &bolt.Options{ReadOnly: true, Timeout: time.Second})
	if errors.Is(err, bolt.ErrTimeout) {
		return fmt.Errorf("etcd runs on %s: stop all members first; nothing is changed", dataDir)
	}
	if database == nil {
		return nil
	}
	return database.Close()
}

func databaseOf(dataDir string) string { return filepath.Join(dataDir, "member", "snap", "db") }

// makeMember makes the data, and compares them with the snapshot.
func (r *RestoredMember) makeMember(ctx context.Context, path string, member embedded.Member, options MemberOptions) error {
	if err := embedded.Guard(options.Log, func(log *zap.Logger) error { return r.restore(path, member, log) }); err != nil {
		return fmt.Errorf("snapshot %s cannot be restored into %s: %w", r.Snapshot.Path, options.DataDir, err)
	}
	err := embedded.ViewDatabase(databaseOf(path), func(tx *bolt.Tx) error {
		values, revision, err := currentValues(tx)
		if err != nil {
			return err
		}
		if digestOf(values) != r.Snapshot.digest {
			return errors.New("its keys differ from the snapshot's")
		}
		if revision < r.Revision {
			return fmt.Errorf("its revision is %d, where at least %d is expected", revision, r.Revision)
		}
		return ctx.Err()
	})
	if err != nil {
		return fmt.Errorf("the store restored from %s did not pass its check: %w", r.Snapshot.Path, err)
	}
	return nil
}

// replace puts the data that were made in the place of the data that are there.
func (r *RestoredMember) replace(made, dataDir string) error {
	entries, err := os.ReadDir(dataDir)
	switch {
	case err == nil && len(entries) > 0:
		if r.SetAside, err = embedded.SetAside(dataDir); err != nil {
			return errors.Join(err, os.RemoveAll(made))
		}
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return errors.Join(err, os.RemoveAll(made))
	}
	if err := os.Rename(made, dataDir); err != nil {
		return fmt.Errorf("the restored data are in %s and cannot be moved to %s: %w; move them", made, dataDir, err)
	}
	return embedded.SyncDirectory(filepath.Dir(dataDir))
}
