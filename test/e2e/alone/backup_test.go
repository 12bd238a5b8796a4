package alone

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/tour"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// TestBackup takes a snapshot, kills the server, and starts another on what was restored. It holds each
// object as of the snapshot, including objects whose write was acknowledged a moment before.
func TestBackup(t *testing.T) {
	t.Parallel()
	s := startSite(t, nil)
	s.Settle(t)
	acknowledged := s.createLevel(t, objects.LevelOf("acknowledged", 1))

	file, restored := filepath.Join(t.TempDir(), "snapshot.db"), filepath.Join(harness.ShortDir(t), "restored")
	output := runEtcd(t, "snapshot", file, "--data-dir="+s.DataDir)
	taken := regexp.MustCompile(`revision (\d+)`).FindStringSubmatch(output)
	require.NotNil(t, taken, output)
	later := s.createLevel(t, objects.LevelOf("later", 1))
	levels, schemas := s.objectsAt(t, metav1.ListOptions{ResourceVersion: taken[1], ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	require.Contains(t, levelNames(levels), acknowledged.Name)
	require.NotContains(t, levelNames(levels), later.Name)
	s.Kill(t)

	runEtcd(t, "restore", file, "--data-dir="+restored)
	require.NoError(t, os.CopyFS(filepath.Join(restored, "pki"), os.DirFS(filepath.Join(s.DataDir, "pki"))))
	fresh := siteOf(t, harness.StartServer(t, harness.ServerOptions{DataDir: restored}), nil)
	restoredLevels, restoredSchemas := fresh.objectsAt(t, metav1.ListOptions{})
	require.Equal(t, levels, restoredLevels)
	require.Equal(t, schemas, restoredSchemas)

	// Clients of the old server: their certificates are valid, and none continues with a
	// revision that the new one uses for something else.
	kubeconfig, err := os.ReadFile(s.Kubeconfig)
	require.NoError(t, err)
	old := filepath.Join(t.TempDir(), "old.kubeconfig")
	require.NoError(t, os.WriteFile(old, []byte(strings.ReplaceAll(string(kubeconfig), s.URL, fresh.URL)), 0o600))
	kubectl := harness.NewKubectl(t, old)
	require.Contains(t, kubectl.Run(t, "get", "prioritylevelconfigurations", "acknowledged"), "acknowledged")
	watched := fresh.do(t, http.MethodGet, v1Path+"/prioritylevelconfigurations?watch=true&timeoutSeconds=1&resourceVersion="+later.ResourceVersion, "")
	require.Contains(t, watched.Body, `"reason":"Expired"`)
	created := fresh.createLevel(t, objects.LevelOf("after", 1))
	require.Greater(t, revisionOf(t, created.ResourceVersion), revisionOf(t, later.ResourceVersion))
}

// objectsAt returns all objects.
func (s *site) objectsAt(t *testing.T, options metav1.ListOptions) ([]flowcontrolv1.PriorityLevelConfiguration, []flowcontrolv1.FlowSchema) {
	t.Helper()
	levels, err := s.levels().List(t.Context(), options)
	require.NoError(t, err)
	schemas, err := s.schemas().List(t.Context(), options)
	require.NoError(t, err)
	return levels.Items, schemas.Items
}

func levelNames(levels []flowcontrolv1.PriorityLevelConfiguration) (names []string) {
	for _, level := range levels {
		names = append(names, level.Name)
	}
	return names
}

func revisionOf(t *testing.T, resourceVersion string) int64 {
	t.Helper()
	revision, err := strconv.ParseInt(resourceVersion, 10, 64)
	require.NoError(t, err)
	return revision
}

// runEtcd runs a command that must succeed and returns its output.
func runEtcd(t *testing.T, args ...string) string {
	t.Helper()
	code, output := harness.RunServer(t, append([]string{"etcd"}, args...)...)
	require.Zero(t, code, output)
	return output
}

// TestBackupGuide runs the commands of docs/backup.md.
func TestBackupGuide(t *testing.T) {
	t.Parallel()
	dir := harness.ShortDir(t)
	harness.Program(t, binaries.Server)
	server := harness.StartServer(t, harness.ServerOptions{
		DataDir: filepath.Join(dir, ".flowcontrol-apiserver"), Args: []string{"--etcd-snapshot-interval=1h", "--etcd-snapshot-retain=24"},
	})
	siteOf(t, server, nil).Settle(t)
	snapshots := filepath.Join(server.DataDir, "snapshots")
	eventually.Holds(t, "the first snapshot is taken", func(a *eventually.Attempt) {
		entries, err := os.ReadDir(snapshots)
		require.NoError(a, err)
		require.Len(a, entries, 1)
		require.Regexp(a, `^flowcontrol-apiserver-.*\.db$`, entries[0].Name())
	})
	tour.Run(t, tour.Section{Document: "docs/backup.md", Heading: "## Take snapshots", Dir: dir}, *updateDocs)
	server.Kill(t)
	tour.Run(t, tour.Section{Document: "docs/backup.md", Heading: "## Restore", Dir: dir}, *updateDocs)
	harness.StartServer(t, harness.ServerOptions{DataDir: filepath.Join(dir, "restored")})
	tour.Run(t, tour.Section{Document: "docs/backup.md", Heading: "## Check the restored server", Dir: dir}, *updateDocs)
}
