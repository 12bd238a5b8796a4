//go:build long

package alone

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// etcdctl reads the embedded etcd of a server through its socket, and the etcd process of another.
func etcdctl(t *testing.T, s *clientsSite, _ string) outcome {
	require.NoError(t, binaries.DebianPackages(t.Context(), "etcd-client"))
	version, err := binaries.PackageVersion(t.Context(), "etcd-client")
	require.NoError(t, err)

	etcd := harness.StartEtcd(t, harness.EtcdOptions{})
	external := &clientsSite{Server: harness.StartServer(t, harness.ServerOptions{Etcd: etcd})}
	t.Run("embedded", func(t *testing.T) { testKeys(t, s, "unix://"+filepath.Join(s.DataDir, "etcd", "client.sock")) })
	t.Run("external", func(t *testing.T) { testKeys(t, external, etcd.URL) })
	return outcome{version: version, works: []string{"`get` of an external etcd", "`get` of the embedded etcd through its socket"}}
}

// testKeys requires one key for each object that the API lists, and the protobuf of v1.
func testKeys(t *testing.T, s *clientsSite, endpoint string) {
	read := func(args ...string) string {
		return s.run(t, "", "/usr/bin/etcdctl", append([]string{"--endpoints=" + endpoint, "get", "--prefix"}, args...)...)
	}
	const prefix = "/registry/flowcontrol.apiserver.k8s.io/"
	for _, resource := range []string{"flowschemas", "prioritylevelconfigurations"} {
		want := s.Kubectl(t).Run(t, "get", resource, "-o", "go-template={{range .items}}"+prefix+resource+"/{{.metadata.name}}\n\n{{end}}")
		require.Equal(t, want, read("--keys-only", prefix+resource+"/"))
	}
	stored := read("--print-value-only", prefix+"prioritylevelconfigurations/exempt")
	require.True(t, strings.HasPrefix(stored, "k8s\x00"), "%q", stored)
	require.Contains(t, stored, "flowcontrol.apiserver.k8s.io/v1\x12\x1aPriorityLevelConfiguration") // the fields of the envelope
}
