package etcdcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/version"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded/backup"
)

const prefix = "/registry/flowcontrol.apiserver.k8s.io"

func now() time.Time { return time.Date(2026, 1, 31, 4, 0, 0, 0, time.UTC) }

// execute runs a command and returns its output.
func execute(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	command := New(&out, now, Defaults{DataDir: filepath.Join(t.TempDir(), "default"), Prefix: prefix})
	command.SetArgs(args)
	command.SetOut(&out)
	command.SetErr(&out)
	command.SilenceUsage, command.SilenceErrors = true, true
	err := command.ExecuteContext(t.Context())
	return out.String(), err
}

// server is an etcd on a data directory, as a server has it.
type server struct {
	*clientv3.Client
	etcd *embedded.Etcd
	dir  *embedded.DataDirectory
}

// start starts an etcd whose store holds an object.
func start(t *testing.T, path string) *server {
	t.Helper()
	dir, err := embedded.OpenDataDirectory(path)
	require.NoError(t, err)
	etcd, err := embedded.StartEtcd(t.Context(), dir, embedded.EtcdOptions{Log: logr.Discard(), QuotaBytes: embedded.MinQuotaBytes})
	require.NoError(t, err)
	client, err := etcd.NewClient()
	require.NoError(t, err)
	s := &server{Client: client, etcd: etcd, dir: dir}
	s.put(t, prefix+"/flowschemas/one", "k8s:enc:secretbox:v1:key:x")
	return s
}

func (s *server) put(t *testing.T, key, value string) {
	t.Helper()
	_, err := s.Put(t.Context(), key, value)
	require.NoError(t, err)
}

func (s *server) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, s.Close())
	require.NoError(t, s.etcd.Close(context.WithoutCancel(t.Context())))
	require.NoError(t, s.dir.Close())
}

func TestCommandsOnAServerThatRunsAndOnOneThatDoesNot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	s := start(t, path)
	for _, test := range []struct{ name, server, quota string }{
		{"running", "running (process", "4.0 MiB ("},
		{"stopped", "not running", "Quota:            -"},
	} {
		if test.name == "stopped" {
			s.stop(t)
		}
		snapshot := filepath.Join(t.TempDir(), "snapshot.db")
		out, err := execute(t, "snapshot", snapshot, "--data-dir", path)
		require.NoError(t, err, test.name)
		assert.Contains(t, out, "Snapshot saved to "+snapshot)
		assert.Contains(t, out, "1 flowschemas, 0 prioritylevelconfigurations, 1 of them encrypted")

		out, err = execute(t, "status", "--data-dir", path)
		require.NoError(t, err)
		assert.Contains(t, out, test.server)
		assert.Contains(t, out, test.quota)

		out, err = execute(t, "defrag", "--data-dir", path)
		require.NoError(t, err)
		assert.Contains(t, out, "Defragmented: ")
	}
}

func TestStatusAsATableAndAsJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	s := start(t, path)
	defer s.stop(t)
	s.put(t, "compact_rev_key", "1")
	s.put(t, prefix+"/flowschemas/broken", "text")
	_, err := backup.Directory{Path: filepath.Join(path, "snapshots"), Prefix: prefix}.Take(t.Context(), s.Client, now().Add(-2*time.Hour))
	require.NoError(t, err)

	out, err := execute(t, "status", "--data-dir", path, "-o", "json")
	require.NoError(t, err)
	var got status
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	assert.Equal(t, path, got.DataDir)
	assert.Equal(t, os.Getpid(), got.ServerPID)
	assert.Equal(t, version.Version, got.Version)
	assert.EqualValues(t, 4, got.Revision)
	assert.Equal(t, embedded.MinQuotaBytes, got.QuotaBytes)
	assert.Positive(t, got.DBSizeBytes)
	assert.GreaterOrEqual(t, got.DBSizeBytes, got.DBInUse)
	assert.Equal(t, []string{}, got.Alarms)
	assert.Equal(t, map[string]int{"flowschemas": 1, "prioritylevelconfigurations": 0, "other": 1}, got.Keys)
	assert.Len(t, got.Unreadable, 1)
	assert.Equal(t, now().Add(-2*time.Hour), got.LastSnapshot.Time)

	out, err = execute(t, "status", "--data-dir", path)
	require.NoError(t, err)
	for _, line := range []string{
		"Revision:         4", "Alarms:           none", "(120m ago)", "RESOURCE", "flowschemas                   1",
		"prioritylevelconfigurations   0", "other                         1", "Warning: an object cannot be read: " + prefix + "/flowschemas/broken",
	} {
		assert.Contains(t, out, line)
	}
}

func TestAFullStoreIsShownAndMadeWritable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	s := start(t, path)
	var err error
	for err == nil {
		_, err = s.Put(t.Context(), "filler", strings.Repeat("x", 256<<10))
	}
	out, err := execute(t, "status", "--data-dir", path)
	require.NoError(t, err)
	assert.Contains(t, out, "Alarms:           NOSPACE")
	out, err = execute(t, "defrag", "--data-dir", path)
	require.NoError(t, err)
	assert.Contains(t, out, "History removed. etcd accepts writes again.")
	s.put(t, "key", "value")

	for i := 0; err == nil; i++ {
		for j := 0; err == nil; j++ {
			_, err = s.Put(t.Context(), fmt.Sprintf("filler/%d/%d", i, j), strings.Repeat("x", 256<<10))
		}
		_, err = execute(t, "defrag", "--data-dir", path) // may make room for some more
	}
	require.ErrorContains(t, err, "etcd still rejects writes")
	require.ErrorContains(t, err, "delete objects that nobody needs, or restart the server with a larger --etcd-quota-backend-bytes")
	s.stop(t)
	out, err = execute(t, "defrag", "--data-dir", path)
	require.NoError(t, err)
	assert.Contains(t, out, "The server accepts writes again after its start")
}

func TestRestoreSaysWhatItDidAndWhatIsNext(t *testing.T) {
	path, parent := filepath.Join(t.TempDir(), "data"), t.TempDir()
	s := start(t, path)
	_, err := embedded.EnsureCertificates(s.dir, nil, time.Now)
	require.NoError(t, err)
	snapshot := filepath.Join(parent, "snapshot.db")
	_, err = execute(t, "snapshot", snapshot, "--data-dir", path)
	require.NoError(t, err)
	s.stop(t)

	target := filepath.Join(parent, "new")
	out, err := execute(t, "restore", snapshot, "--data-dir", target, "--certificates-from", path)
	require.NoError(t, err)
	assert.Contains(t, out, "Restored to "+target+": every key is as in the snapshot; the store continues at revision 1769832000000000.")
	assert.Contains(t, out, "Certificates: from "+path+"; its kubeconfigs remain valid at the same address.")
	assert.Contains(t, out, "Next: flowcontrol-apiserver --data-dir="+target)
	out, err = execute(t, "restore", snapshot, "--data-dir", filepath.Join(parent, "other"))
	require.NoError(t, err)
	assert.Contains(t, out, "Certificates: the server issues new ones; clients need the new admin.kubeconfig.")
}

func TestWhatCannotBeDoneIsOneSentence(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	s := start(t, path)
	defer s.stop(t)
	directory := t.TempDir()
	text := filepath.Join(directory, "text")
	require.NoError(t, os.WriteFile(text, []byte("not a snapshot of anything at all\n"), 0o600))
	absent := filepath.Join(directory, "absent")

	for name, test := range map[string]struct {
		args []string
		says string
	}{
		"a snapshot without a name":            {[]string{"snapshot"}, "name one file: 0 arguments are given"},
		"a snapshot over a file":               {[]string{"snapshot", text, "--data-dir", path}, text + " exists"},
		"a snapshot of no server and no store": {[]string{"snapshot", absent}, "holds no store"},
		"a status of no server and no store":   {[]string{"status", "--data-dir", absent}, absent + " holds no store"},
		"a defragmentation of no store":        {[]string{"defrag", "--data-dir", absent}, absent + " holds no store"},
		"a restore without a target":           {[]string{"restore", text}, "--data-dir must name the directory to create"},
		"a restore of a text":                  {[]string{"restore", text, "--data-dir", absent}, text + " is not a snapshot of etcd"},
		"a restore of nothing":                 {[]string{"restore", absent, "--data-dir", absent}, "no such file"},
		"an output that does not exist":        {[]string{"status", "-o", "yaml"}, "--output=yaml must be one of table, json"},
		"a command that does not exist":        {[]string{"snap"}, `unknown command "snap"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := execute(t, test.args...)
			require.ErrorContains(t, err, test.says)
			assert.NotContains(t, err.Error(), "\n")
			assert.NoFileExists(t, absent)
			assert.NoDirExists(t, absent)
		})
	}
	_, err := execute(t, "restore", text, "--data-dir", path)
	require.Error(t, err)
}

func TestHelpIsThatOfTheCommand(t *testing.T) {
	out, err := execute(t)
	require.NoError(t, err)
	for _, name := range []string{"snapshot", "restore", "defrag", "status"} {
		assert.Contains(t, out, "\n  "+name)
		help, err := execute(t, name, "--help")
		require.NoError(t, err)
		assert.Contains(t, help, "--data-dir")
		assert.NotContains(t, help, "--secure-port")
	}
}
