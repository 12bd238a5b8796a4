package alone

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// liveCase is a test on a server that other cases share. It uses unique names, and
// leaves nothing behind that would fail a later case.
type liveCase struct {
	name string
	run  func(*testing.T, *live)
}

// everywhere returns the cases for either store.
func everywhere() []liveCase {
	return []liveCase{
		{"requests of the deprecated version are audited and counted", testDeprecation},
		{"objects are stored as v1 protobuf at their keys, and nothing elsewhere", testStoredBytes},
		{"the administrator's kubeconfig is all that kubectl needs", testKubeconfig},
		{"status and flags are shown", testZPages},
		{"a level that is full rejects", testFullLevel},
		{"a store that was wiped is filled again", testWipedStore},
		{"a stop lets requests under way finish", testStop},
	}
}

// alone returns the cases that do not depend on the store, or need the embedded
// etcd.
func alone() []liveCase {
	return []liveCase{
		{"advice comes on every write that changes the spec, and of a missing level on every update", testAdviceByVerb},
		{"examples apply as they are", testExamples},
	}
}

// onEtcd returns the cases that manipulate the etcd process.
func onEtcd() []liveCase {
	return []liveCase{
		{"etcd stops and comes back", func(t *testing.T, s *live) {
			t.Helper()
			testEtcdAway(t, s, s.etcd.Stop, func() { s.etcd.Start(s.owner) })
		}},
		{"etcd hangs and goes on", func(t *testing.T, s *live) {
			t.Helper()
			testEtcdAway(t, s, s.etcd.Process.Pause, s.etcd.Process.Resume)
		}},
		{"an object that nobody can read delays the start", testUnreadableObjectAtStart},
	}
}

// live is a server that all cases share. It has 30 seats and writes an audit log.
// Its processes end with its owner, including processes that a case restarts. A
// gate holds requests on demand. The token of a user is their name.
type live struct {
	*site
	owner    *testing.T
	gate     *gate
	auditLog string
}

// TestServer runs the cases on one server of each mode. Package conformance tests
// the API itself, against kube-apiserver.
func TestServer(t *testing.T) {
	t.Parallel()
	for _, mode := range []struct {
		name  string
		etcd  func(*testing.T) *harness.Etcd
		cases []liveCase
	}{
		{"on its embedded etcd", func(*testing.T) *harness.Etcd { return nil }, append(alone(), everywhere()...)},
		{"on an etcd process", func(t *testing.T) *harness.Etcd { t.Helper(); return startEtcd(t) }, append(onEtcd(), everywhere()...)},
	} {
		t.Run(mode.name, func(t *testing.T) {
			t.Parallel()
			l := startLive(t, mode.etcd(t))
			for _, c := range mode.cases {
				t.Run(c.name, func(t *testing.T) { c.run(t, l) })
			}
		})
	}
}

// startLive starts a server with additional flags.
func startLive(t *testing.T, etcd *harness.Etcd, flags ...string) *live {
	t.Helper()
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	l := &live{owner: t, gate: newGate(t), auditLog: filepath.Join(dir, "audit.log")}
	flags = append(append(l.gate.flags(), flags...),
		"--audit-policy-file="+write("policy.yaml", "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules:\n- level: Metadata\n"),
		"--audit-log-path="+l.auditLog, "--audit-log-mode=blocking",
		"--token-auth-file="+write("tokens.csv", "full,full,1\nstopping,stopping,4\nother,other,5\n"),
		"--request-timeout=30m", // a stop waits this long for connections
		"--max-requests-inflight=20", "--max-mutating-requests-inflight=10")
	l.site = startSite(t, etcd, flags...)
	return l
}

// restart stops the server and starts it again.
func (l *live) restart(t *testing.T) {
	t.Helper()
	l.Stop(t)
	l.Start(l.owner)
}
