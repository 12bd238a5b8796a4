package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

// The CronJob of own-etcd names all members. One may be away.
func TestSnapshotsOfAClusterAreTakenOfTheFirstMemberThatAnswers(t *testing.T) {
	dir, err := embedded.OpenDataDirectory(filepath.Join(t.TempDir(), "data"))
	require.NoError(t, err)
	etcd, err := embedded.StartEtcd(t.Context(), dir, embedded.EtcdOptions{Log: logr.Discard()})
	require.NoError(t, err)
	defer func() {
		require.NoError(t, etcd.Close(t.Context()))
		require.NoError(t, dir.Close())
	}()
	directory := filepath.Join(t.TempDir(), "snapshots")
	_, err = execute(t, "etcd", "snapshot", "--etcd-servers=unix:///absent,"+etcd.Endpoint(), "--etcd-snapshot-dir="+directory, "--etcd-snapshot-retain=1")
	require.NoError(t, err)
	entries, err := os.ReadDir(directory)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.Regexp(t, `^flowcontrol-apiserver-\d{8}T\d{6}Z\.db$`, entries[0].Name())
}

func TestWhatCannotBeDoneWithEtcdIsOneSentence(t *testing.T) {
	directory := t.TempDir()
	text, absent := filepath.Join(directory, "text"), filepath.Join(directory, "absent")
	require.NoError(t, os.WriteFile(text, []byte("not a snapshot of anything at all\n"), 0o600))
	for name, test := range map[string]struct {
		args []string
		says string
	}{
		"a snapshot without a name":        {[]string{"snapshot"}, "name one file, or the directory with --etcd-snapshot-dir"},
		"a snapshot in two places":         {[]string{"snapshot", "file", "--etcd-snapshot-dir=" + directory}, "name one file, or the directory with --etcd-snapshot-dir"},
		"no snapshot that remains":         {[]string{"snapshot", "--etcd-snapshot-dir=" + directory, "--etcd-snapshot-retain=0"}, "--etcd-snapshot-retain=0 must be at least 1"},
		"a snapshot of no server":          {[]string{"snapshot", "file", "--data-dir", absent}, "data directory " + absent + ": no etcd answers"},
		"a snapshot with a CA that is not": {[]string{"snapshot", "file", "--etcd-servers=https://127.0.0.1:1", "--etcd-cafile=/none"}, "--etcd-cafile, --etcd-certfile, --etcd-keyfile: open /none"},
		"a restore without a target":       {[]string{"restore", text}, "--data-dir must name the directory to create"},
		"a restore of a text":              {[]string{"restore", text, "--data-dir", absent}, "snapshot " + text + " cannot be used: no checksum is at its end"},
		"a restore of nothing":             {[]string{"restore", absent, "--data-dir", absent}, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := execute(t, append([]string{"etcd"}, test.args...)...)
			require.ErrorContains(t, err, test.says)
			require.NotContains(t, err.Error(), "\n")
			require.NoDirExists(t, absent)
		})
	}
}
