package backup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

const prefix = "/registry/flowcontrol.apiserver.k8s.io"

// A full disk is a process that may not write large files, which runs this binary
// with a role.
const (
	roleVariable = "BACKUP_TEST_ROLE"
	fromVariable = "BACKUP_TEST_FROM"
	toVariable   = "BACKUP_TEST_TO"

	saveRole, restoreRole = "save", "restore"
	// diskSize is the largest file of that process, in bytes.
	diskSize = 16 << 10
)

func TestMain(m *testing.M) {
	role, ok := os.LookupEnv(roleVariable)
	if !ok {
		os.Exit(m.Run())
	}
	if err := play(role, os.Getenv(fromVariable), os.Getenv(toVariable)); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func play(role, from, to string) error {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: diskSize, Max: diskSize}); err != nil {
		return err
	}
	switch role {
	case saveRole:
		store, err := embedded.OpenStore(context.Background(), from, logr.Discard())
		if err != nil {
			return err
		}
		_, err = Save(context.Background(), store.Client, to, prefix)
		return err
	case restoreRole:
		_, err := Restore(context.Background(), RestoreOptions{Snapshot: from, DataDir: to, Prefix: prefix, Now: time.Now, Log: logr.Discard()})
		return err
	}
	return errors.New("no such role")
}

// onAFullDisk runs a role and returns what it printed.
func onAFullDisk(t *testing.T, role, from, to string) string {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(executable)
	command.Env = append(os.Environ(), roleVariable+"="+role, fromVariable+"="+from, toVariable+"="+to)
	output, err := command.Output()
	require.Error(t, err, "the disk is full")
	return string(output)
}

// running is an etcd on a data directory.
type running struct {
	*clientv3.Client
	path string
	stop func()
}

// start starts an etcd on a data directory.
func start(t testing.TB, path string) *running {
	t.Helper()
	dir, err := embedded.OpenDataDirectory(path)
	require.NoError(t, err)
	etcd, err := embedded.StartEtcd(t.Context(), dir, embedded.EtcdOptions{Log: logr.Discard()})
	require.NoError(t, err)
	client, err := etcd.NewClient()
	require.NoError(t, err)
	stopped := false
	r := &running{Client: client, path: path, stop: func() {
		if !stopped {
			stopped = true
			assert.NoError(t, client.Close())
			assert.NoError(t, etcd.Close(context.Background()))
			assert.NoError(t, dir.Close())
		}
	}}
	t.Cleanup(r.stop)
	return r
}

// startFilled starts an etcd with a flow schema and a priority level.
func startFilled(t testing.TB) *running {
	t.Helper()
	r := start(t, filepath.Join(t.TempDir(), "data"))
	r.put(t, prefix+"/flowschemas/one", schemaNamed(t, "one"))
	r.put(t, prefix+"/prioritylevelconfigurations/two", levelNamed(t, "two"))
	return r
}

func (r *running) put(t testing.TB, key, value string) int64 {
	t.Helper()
	response, err := r.Put(t.Context(), key, value)
	require.NoError(t, err)
	return response.Header.Revision
}

func (r *running) get(t testing.TB, key string) string {
	t.Helper()
	response, err := r.Get(t.Context(), key)
	require.NoError(t, err)
	require.Len(t, response.Kvs, 1, key)
	return string(response.Kvs[0].Value)
}

func schemaNamed(t testing.TB, name string) string {
	t.Helper()
	schema := &flowcontrolv1.FlowSchema{}
	schema.Name = name
	return encode(t, schema)
}

func levelNamed(t testing.TB, name string) string {
	t.Helper()
	level := &flowcontrolv1.PriorityLevelConfiguration{}
	level.Name = name
	return encode(t, level)
}

// encode returns an object as it is stored.
func encode(t testing.TB, object runtime.Object) string {
	t.Helper()
	scheme := install.NewScheme()
	kinds, _, err := scheme.ObjectKinds(object)
	require.NoError(t, err)
	object.GetObjectKind().SetGroupVersionKind(kinds[0])
	encoded, err := runtime.Encode(protobuf.NewSerializer(scheme, scheme), object)
	require.NoError(t, err)
	return string(encoded)
}

// saved returns a snapshot of an etcd.
func (r *running) saved(t testing.TB) *Snapshot {
	t.Helper()
	snapshot, err := Save(t.Context(), r.Client, filepath.Join(t.TempDir(), "snapshot.db"), prefix)
	require.NoError(t, err)
	return snapshot
}

func restoreOptions(snapshot, dataDir string) RestoreOptions {
	return RestoreOptions{
		Snapshot: snapshot, DataDir: dataDir, Prefix: prefix, Log: logr.Discard(),
		Now: func() time.Time { return time.Date(2026, 1, 31, 4, 0, 0, 0, time.UTC) },
	}
}

// namesIn returns the names in a directory.
func namesIn(t testing.TB, directory string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(directory)
	require.NoError(t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
