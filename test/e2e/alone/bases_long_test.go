//go:build long

package alone

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/tour"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

// TestEmbeddedEtcdOfAnotherBase lets the server on a later release of k8s.io, which embeds a later
// etcd, take over what the first holds, and goes back as docs/upgrade.md says.
func TestEmbeddedEtcdOfAnotherBase(t *testing.T) {
	for _, base := range []struct {
		name, etcd string
		// reads: its etcd reads the log of the first.
		reads bool
	}{{"0.36", "3.6", true}, {"0.37", "3.7", false}} {
		t.Run(base.name, func(t *testing.T) {
			u := newBaseUpgrade(t, base.name)
			data := u.fill(t)
			if !base.reads {
				u.requireStops(t, u.later, data, "the log was written by an etcd more than one minor release older than this server's, "+base.etcd+".")
				u.requireHolds(t, u.start(t, u.first, data), 1) // and is as it was
				data = u.restore(t, u.later, "taken")
			}
			taken := u.start(t, u.later, data)
			u.requireHolds(t, taken, 1)
			taken.createLevel(t, objects.LevelOf("new", 7))
			u.guide(t, taken, "### Keep later writes")
			taken.Stop(t)

			u.requireStops(t, u.first, data, "the data were written by etcd "+base.etcd+".0, and this server has etcd 3.5.")
			back := u.start(t, u.first, u.restore(t, u.first, "back"))
			u.requireHolds(t, back, 1)
			u.guide(t, back, "### Apply it after rolling back")
			u.requireHolds(t, back, 2)
		})
	}
}

// baseUpgrade is an upgrade to a later release of k8s.io, in a directory.
type baseUpgrade struct {
	first, later string // programs
	dir          string
	snapshot     string // of what the first holds
}

func newBaseUpgrade(t *testing.T, base string) *baseUpgrade {
	t.Helper()
	u := &baseUpgrade{dir: harness.ShortDir(t)}
	u.snapshot = filepath.Join(u.dir, "before.db")
	u.first, u.later = harness.Program(t, binaries.ServerOn(binaries.FirstBase)), harness.Program(t, binaries.ServerOn(base))
	return u
}

// fill lets the first server write a level and take a snapshot, and returns its data directory.
func (u *baseUpgrade) fill(t *testing.T) (data string) {
	t.Helper()
	data = filepath.Join(u.dir, "data")
	old := u.start(t, u.first, data)
	old.Settle(t)
	old.createLevel(t, objects.LevelOf("old", 5))
	code, output := harness.RunProgram(t, u.first, "etcd", "snapshot", u.snapshot, "--data-dir="+data)
	require.Zero(t, code, output)
	old.Stop(t)
	return data
}

func (u *baseUpgrade) start(t *testing.T, program, data string) *site {
	t.Helper()
	return siteOf(t, harness.StartServer(t, harness.ServerOptions{Program: program, DataDir: data}), nil)
}

// restore lets a program restore the snapshot, and returns the new data directory.
func (u *baseUpgrade) restore(t *testing.T, program, name string) (data string) {
	t.Helper()
	data = filepath.Join(u.dir, name)
	code, output := harness.RunProgram(t, program, "etcd", "restore", u.snapshot, "--data-dir="+data)
	require.Zero(t, code, output)
	require.NoError(t, os.CopyFS(filepath.Join(data, "pki"), os.DirFS(filepath.Join(u.dir, "data", "pki"))))
	return data
}

// requireStops requires that a program does not start on the data, as
// its message says, and not for damage.
func (u *baseUpgrade) requireStops(t *testing.T, program, data, message string) {
	t.Helper()
	code, output := harness.RunProgram(t, program, "--data-dir="+data, "--bind-address=127.0.0.1", "--secure-port="+strconv.Itoa(ports.Free(t, 1)[0]))
	require.Equal(t, 1, code, output)
	require.Contains(t, output, message)
	require.NotContains(t, output, "if the data are damaged")
}

// requireHolds requires the levels of the tests, and of the others only the built-in ones.
func (u *baseUpgrade) requireHolds(t *testing.T, s *site, count int) {
	t.Helper()
	for _, expected := range []*flowcontrolv1.PriorityLevelConfiguration{objects.LevelOf("old", 5), objects.LevelOf("new", 7)}[:count] {
		found, err := s.levels().Get(t.Context(), expected.Name, metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, expected.Spec, found.Spec)
	}
	levels, err := s.levels().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, levels.Items, count+builtInLevels)
}

// builtInLevels is the number of levels that every release has.
const builtInLevels = 8

// guide runs the commands of a section of docs/upgrade.md.
func (u *baseUpgrade) guide(t *testing.T, s *site, heading string) {
	t.Helper()
	tour.Run(t, tour.Section{Document: "docs/upgrade.md", Heading: heading, Dir: u.dir, Env: []string{"KUBECONFIG=" + s.Kubeconfig}}, *updateDocs)
}
