package backup

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

func begin() time.Time { return time.Date(2026, 1, 31, 4, 0, 0, 0, time.UTC) }

// running is an etcd on a data directory.
type running struct {
	*clientv3.Client
	path   string
	config clientv3.Config
}

// start starts an etcd on a data directory.
func start(t *testing.T, path string) *running {
	t.Helper()
	dir, err := embedded.OpenDataDirectory(path)
	require.NoError(t, err)
	etcd, err := embedded.StartEtcd(t.Context(), dir, embedded.EtcdOptions{Log: logr.Discard()})
	require.NoError(t, err)
	config := clientv3.Config{Endpoints: []string{etcd.Endpoint()}}
	client, err := clientv3.New(config)
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, client.Close())
		assert.NoError(t, etcd.Close(context.WithoutCancel(t.Context())))
		assert.NoError(t, dir.Close())
	})
	return &running{Client: client, path: path, config: config}
}

// startFilled starts an etcd with two keys.
func startFilled(t *testing.T) *running {
	t.Helper()
	r := start(t, filepath.Join(t.TempDir(), "data"))
	r.put(t, "one", "1")
	r.put(t, "two", "2")
	return r
}

func (r *running) put(t *testing.T, key, value string) int64 {
	t.Helper()
	response, err := r.Put(t.Context(), key, value)
	require.NoError(t, err)
	return response.Header.Revision
}

// contents returns the keys and values of now.
func (r *running) contents(t *testing.T) map[string]string {
	t.Helper()
	response, err := r.Get(t.Context(), "", clientv3.WithFromKey())
	require.NoError(t, err)
	contents := map[string]string{}
	for _, kv := range response.Kvs {
		contents[string(kv.Key)] = string(kv.Value)
	}
	return contents
}

func (r *running) saved(t *testing.T) *Snapshot {
	t.Helper()
	snapshot, err := Save(t.Context(), r.config, filepath.Join(t.TempDir(), "snapshot.db"))
	require.NoError(t, err)
	return snapshot
}

func namesIn(t *testing.T, directory string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(directory)
	require.NoError(t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestARestoredStoreHoldsTheSnapshotAndNothingLater(t *testing.T) {
	etcd := startFilled(t)
	snapshot := etcd.saved(t)
	want := etcd.contents(t)
	seen := etcd.put(t, "later", "3")
	assert.Equal(t, seen-1, snapshot.Revision)

	path := filepath.Join(t.TempDir(), "new")
	revision, err := Restore(snapshot.Path, path, begin(), logr.Discard())
	require.NoError(t, err)
	assert.Equal(t, begin().UnixMicro(), revision)
	assert.Equal(t, []string{"etcd", "flowcontrol-apiserver.lock"}, namesIn(t, path))

	fresh := start(t, path)
	assert.Equal(t, want, fresh.contents(t))
	// A client with a resourceVersion of before must not miss changes: its watch ends and it lists again.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, old := range []int64{1, snapshot.Revision, seen, revision - 1} {
		event := <-fresh.Watch(ctx, "one", clientv3.WithRev(old))
		require.ErrorIs(t, event.Err(), rpctypes.ErrCompacted, "watch from revision %d", old)
	}
	assert.Greater(t, fresh.put(t, "new", "4"), revision)

	second := fresh.saved(t) // of a restored store
	again, err := Restore(second.Path, filepath.Join(t.TempDir(), "again"), begin(), logr.Discard())
	require.NoError(t, err)
	assert.Equal(t, second.Revision+leastDistance, again)
}

func TestWhatCannotBeUsedIsNotRestored(t *testing.T) {
	etcd := startFilled(t)
	good := etcd.saved(t)
	content, err := os.ReadFile(good.Path)
	require.NoError(t, err)
	changed := append([]byte(nil), content...)
	changed[len(content)/2]++
	for name, test := range map[string]struct {
		content []byte
		says    string
	}{
		"a snapshot that is cut off":  {content[:len(content)/2], "no checksum is at its end"},
		"a snapshot that was changed": {changed, "its checksum does not match"},
		"a text":                      {[]byte("not a snapshot of anything at all\n"), "no checksum is at its end"},
		"nothing":                     {nil, "no checksum is at its end"},
	} {
		t.Run(name, func(t *testing.T) {
			file, path := filepath.Join(t.TempDir(), "bad.db"), filepath.Join(t.TempDir(), "new")
			require.NoError(t, os.WriteFile(file, test.content, 0o600))
			_, err := Restore(file, path, begin(), logr.Discard())
			require.ErrorContains(t, err, "snapshot "+file+" cannot be used: ")
			require.ErrorContains(t, err, test.says)
			assert.NoDirExists(t, path)
		})
	}
	t.Run("a data directory in use", func(t *testing.T) {
		_, err := Restore(good.Path, etcd.path, begin(), logr.Discard())
		require.ErrorContains(t, err, "data directory "+etcd.path+" is in use by process ")
	})
	t.Run("a data directory with a store", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "new")
		_, err := Restore(good.Path, path, begin(), logr.Discard())
		require.NoError(t, err)
		_, err = Restore(good.Path, path, begin(), logr.Discard())
		require.ErrorContains(t, err, "has a store; restore into another directory, nothing is overwritten")
	})
	t.Run("over what an interrupted restore left", func(t *testing.T) {
		path := t.TempDir()
		require.NoError(t, os.MkdirAll(filepath.Join(path, "etcd.restoring", "member", "snap"), 0o700))
		require.NoError(t, os.Chmod(path, 0o700))
		_, err := Restore(good.Path, path, begin(), logr.Discard())
		require.NoError(t, err)
		assert.Equal(t, []string{"etcd", "flowcontrol-apiserver.lock"}, namesIn(t, path))
	})
}

func TestSnapshotsNeverOverwriteAFile(t *testing.T) {
	etcd := startFilled(t)
	file := etcd.saved(t).Path
	_, err := Save(t.Context(), etcd.config, file)
	require.EqualError(t, err, file+" exists, and a snapshot never overwrites a file; choose another name")
	_, err = Save(t.Context(), etcd.config, filepath.Join(t.TempDir(), "absent", "snapshot.db"))
	require.ErrorContains(t, err, "no such file or directory")
}

func TestOldSnapshotsOfADirectoryAreRemovedAndNothingElse(t *testing.T) {
	clock := clocktesting.NewFakeClock(begin())
	directory := Directory{Path: filepath.Join(t.TempDir(), "snapshots"), Retain: 2, Config: startFilled(t).config, Clock: clock}
	require.NoError(t, os.Mkdir(directory.Path, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(directory.Path, "other.db"), nil, 0o600))
	for range 3 {
		_, err := directory.Take(t.Context())
		require.NoError(t, err)
		clock.Step(time.Hour)
	}
	assert.Equal(t, []string{"flowcontrol-apiserver-20260131T050000Z.db", "flowcontrol-apiserver-20260131T060000Z.db", "other.db"}, namesIn(t, directory.Path))

	clock.SetTime(begin()) // set back: the new one is the oldest by its name, and stays
	_, err := directory.Take(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"flowcontrol-apiserver-20260131T040000Z.db", "flowcontrol-apiserver-20260131T060000Z.db", "other.db"}, namesIn(t, directory.Path))
}

func TestSnapshotsOfAClockThatWasAheadAreReplacedFirst(t *testing.T) {
	clock := clocktesting.NewFakeClock(begin().Add(-2 * time.Hour))
	directory := Directory{Path: filepath.Join(t.TempDir(), "snapshots"), Retain: 4, Config: startFilled(t).config, Clock: clock}
	takeAt := func(hours int) {
		clock.SetTime(begin().Add(time.Duration(hours) * time.Hour))
		_, err := directory.Take(t.Context())
		require.NoError(t, err)
	}
	var left []string
	for _, hours := range []time.Duration{-1, 48, 49, 50, 0, 1, 2} { // ahead for three hours
		takeAt(int(hours))
	}
	for _, name := range namesIn(t, directory.Path) {
		left = append(left, name[len("flowcontrol-apiserver-"):len("flowcontrol-apiserver-20260131T04")])
	}
	assert.Equal(t, []string{"20260131T03", "20260131T04", "20260131T05", "20260131T06"}, left)
	require.NoError(t, os.WriteFile(filepath.Join(directory.Path, begin().Add(99*time.Hour).Format(nameFormat)), nil, 0o600))
	assert.Equal(t, 30*time.Minute, directory.untilNext(30*time.Minute), "the last one that is not of the future counts")
	clock.Step(10 * time.Minute)
	assert.Equal(t, 20*time.Minute, directory.untilNext(30*time.Minute))
}

func TestWhatKilledProcessesLeftOfSnapshotsIsRemoved(t *testing.T) {
	clock := clocktesting.NewFakeClock(begin())
	directory := Directory{Path: filepath.Join(t.TempDir(), "snapshots"), Retain: 2, Config: startFilled(t).config, Clock: clock}
	require.NoError(t, os.Mkdir(directory.Path, 0o700))
	for _, name := range []string{"flowcontrol-apiserver-20260131T010000Z.db.part", "flowcontrol-apiserver-20260131T020000Z.db.part", "other.db.part"} {
		require.NoError(t, os.WriteFile(filepath.Join(directory.Path, name), []byte("begun"), 0o600))
	}
	const writing = "flowcontrol-apiserver-20260131T030000Z.db.part"
	other, err := openPart(filepath.Join(directory.Path, writing))
	require.NoError(t, err)
	_, err = directory.Take(t.Context())
	require.NoError(t, err)
	const taken = "flowcontrol-apiserver-20260131T040000Z.db"
	assert.Equal(t, []string{writing, taken, "other.db.part"}, namesIn(t, directory.Path), "another process is writing one")
	_, err = openPart(other.Name())
	require.ErrorContains(t, err, "another process is writing "+other.Name())
	require.NoError(t, other.Close())

	clock.Step(time.Hour)
	failing := directory
	failing.Config = clientv3.Config{}
	_, err = failing.Take(t.Context())
	require.Error(t, err)
	assert.Equal(t, []string{taken, "other.db.part"}, namesIn(t, directory.Path), "also before a snapshot that fails")
}

// schedule runs a schedule whose snapshots fail, and returns the times of its attempts in two hours.
func schedule(t *testing.T, last time.Time) (attempts []time.Duration) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "snapshots")
	require.NoError(t, os.Mkdir(path, 0o700))
	if !last.IsZero() {
		require.NoError(t, os.WriteFile(filepath.Join(path, last.Format(nameFormat)), nil, 0o600))
	}
	synctest.Test(t, func(t *testing.T) {
		clock := clocktesting.NewFakeClock(begin())
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			Directory{Path: path, Retain: 1, Clock: clock}.Schedule(ctx, time.Hour, logr.Discard(), func(err error) {
				attempts = append(attempts, clock.Now().Sub(begin()))
				assert.Error(t, err, "no etcd is named")
			})
		}()
		for range 24 {
			synctest.Wait()
			clock.Step(5 * time.Minute)
		}
		stop()
		<-done
	})
	return attempts
}

func TestTheFirstSnapshotIsDueAnIntervalAfterTheLast(t *testing.T) {
	for name, test := range map[string]struct {
		last, want time.Duration
	}{
		"half an hour ago": {-30 * time.Minute, 30 * time.Minute},
		"a day ago":        {-24 * time.Hour, 0},
		"by a clock ahead": {time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			attempts := schedule(t, begin().Add(test.last))
			require.NotEmpty(t, attempts)
			assert.Equal(t, test.want, attempts[0])
			assert.Equal(t, test.want+retryInterval, attempts[1], "a failure is retried soon")
		})
	}
	assert.Zero(t, schedule(t, time.Time{})[0], "there is none")
}
