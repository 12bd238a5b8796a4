package artifacts

import (
	"context"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestOverlaysRegisterNothing holds that an interrupted installation hurts nobody: while
// a registered version is unavailable, no namespace can be deleted.
func TestOverlaysRegisterNothing(t *testing.T) {
	for _, overlay := range overlays(t) {
		for _, object := range render(t, overlay) {
			require.NotEqual(t, "APIService", object.GetKind(), "artifacts/%s", overlay)
		}
	}
}

// fakeKubectl answers the scripts from files of $STATE, and writes its arguments to
// $STATE/calls. Packages registration and docs run the scripts in real clusters.
const fakeKubectl = `#!/bin/sh
echo "$*" >>"$STATE/calls"
case "$*" in
*"get secret flowcontrol-apiserver-serving"*ca.crt*) cat "$STATE/ca.crt" ;;
*"get secret flowcontrol-apiserver-serving"*tls.crt*) cat "$STATE/tls.crt" ;;
*"get secret flowcontrol-apiserver-etcd-client"*) [ -e "$STATE/etcd-client" ] ;;
*"get secret"*) ;;
*"get --raw"*/proxy/readyz) [ -e "$STATE/reachable" ] || { echo "no endpoints available" >&2; exit 1; } ;;
"get --raw /apis/flowcontrol.apiserver.k8s.io/v1") [ ! -e "$STATE/without-v1" ] ;;
"get apiservice "*jsonpath*) echo "x509: unknown authority" ;;
"get apiservice v1beta3."*) cat "$STATE/v1beta3" ;;
"get apiservice v1."*) cat "$STATE/v1" ;;
"patch --local"*) echo "kind: APIService" ;;
"apply "*flowschemas.yaml) [ ! -e "$STATE/unlisted" ] || { cat "$STATE/unlisted" >&2; rm "$STATE/unlisted"; exit 1; } ;;
"wait "*) [ -e "$STATE/available" ] ;;
"delete "* | "replace "*) [ ! -e "$STATE/stuck" ] ;;
*"rollout status"*) [ -e "$STATE/rolled-out" ] ;;
*"get statefulset"*) [ -e "$STATE/statefulset" ] ;;
esac
`

// scripted is a fake cluster, in the state of one that the server runs in.
type scripted struct {
	dir string
	// attempts bounds what a script waits for, a second each.
	attempts string
}

func newScripted(t *testing.T) *scripted {
	t.Helper()
	s := &scripted{dir: t.TempDir(), attempts: "1"}
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "kubectl"), []byte(fakeKubectl), 0o700))
	ca := harness.NewCA(t, "ca")
	s.setCertificate(t, ca.CertFile, ca.Server(t, "server", "flowcontrol-apiserver.flowcontrol-system.svc").CertFile)
	for _, name := range []string{"reachable", "available", "rolled-out", "etcd-client"} {
		s.set(t, name, "")
	}
	s.set(t, "v1beta3", "")
	s.set(t, "v1", "local")
	return s
}

func (s *scripted) set(t *testing.T, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o600))
}

func (s *scripted) unset(t *testing.T, name string) {
	t.Helper()
	require.NoError(t, os.Remove(filepath.Join(s.dir, name)))
}

func (s *scripted) setCertificate(t *testing.T, caFile, certFile string) {
	t.Helper()
	for name, file := range map[string]string{"ca.crt": caFile, "tls.crt": certFile} {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		s.set(t, name, base64.StdEncoding.EncodeToString(content))
	}
}

// run runs a script, and returns what it says and the calls of kubectl that change
// something.
func (s *scripted) run(t *testing.T, script string, args ...string) (string, []string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	command := exec.CommandContext(ctx, folder(t, script), args...)
	command.Env = append(os.Environ(), "STATE="+s.dir, "KUBECTL="+filepath.Join(s.dir, "kubectl"), "ATTEMPTS="+s.attempts)
	output, err := command.CombinedOutput()
	calls, readErr := os.ReadFile(filepath.Join(s.dir, "calls"))
	if !os.IsNotExist(readErr) {
		require.NoError(t, readErr)
	}
	var changes []string
	for call := range strings.Lines(string(calls)) {
		words := strings.Fields(call)
		if verb := words[0]; verb == "apply" || verb == "delete" || verb == "replace" {
			changes = append(changes, verb+" "+filepath.Base(words[len(words)-1]))
		}
	}
	return string(output), changes, err
}

func TestRegisterRegistersWhatCanBeServed(t *testing.T) {
	s := newScripted(t)
	output, changes, err := s.run(t, "registration/register.sh", "v1beta3")
	require.NoError(t, err, output)
	require.Equal(t, "registered: APIService v1beta3.flowcontrol.apiserver.k8s.io is available\n", output)
	require.Equal(t, []string{"apply apiservice.yaml"}, changes)
}

func TestRegisterTakesV1WithTheFlowSchemasInPlace(t *testing.T) {
	s := newScripted(t)
	s.set(t, "v1beta3", "flowcontrol-system/flowcontrol-apiserver")
	output, changes, err := s.run(t, "registration/register.sh", "v1")
	require.NoError(t, err, output)
	require.Equal(t, []string{"apply flowschemas.yaml", "apply apiservice.yaml"}, changes)
}

// After replicas come back, kube-apiserver does not list v1beta3 at once.
func TestRegisterWaitsUntilKubeAPIServerListsTheVersion(t *testing.T) {
	for _, test := range []struct {
		name, attempts, failure string
		fails                   bool
	}{
		{"listed at the second attempt", "2", `no matches for kind "FlowSchema" in version "flowcontrol.apiserver.k8s.io/v1beta3"`, false},
		{"not listed", "1", `no matches for kind "FlowSchema" in version "flowcontrol.apiserver.k8s.io/v1beta3"`, true},
		{"rejected", "2", `flowschemas is forbidden`, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScripted(t)
			s.attempts = test.attempts
			s.set(t, "v1beta3", "flowcontrol-system/flowcontrol-apiserver")
			s.set(t, "unlisted", test.failure)
			output, changes, err := s.run(t, "registration/register.sh", "v1")
			if test.fails {
				require.Error(t, err, output)
				require.Equal(t, "register.sh: kubectl apply: "+test.failure+"\n", output)
				require.Equal(t, []string{"apply flowschemas.yaml"}, changes)
				return
			}
			require.NoError(t, err, output)
			require.Equal(t, []string{"apply flowschemas.yaml", "apply flowschemas.yaml", "apply apiservice.yaml"}, changes)
		})
	}
}

func TestRegisterChangesNothingIfThisServerCannotServe(t *testing.T) {
	for _, test := range []struct {
		name    string
		change  func(*testing.T, *scripted)
		version string
		says    string
	}{
		{"no certificate", func(t *testing.T, s *scripted) { t.Helper(); s.set(t, "tls.crt", "") }, "v1beta3",
			"Secret flowcontrol-system/flowcontrol-apiserver-serving is missing, or lacks ca.crt or tls.crt"},
		{"a certificate of another CA", func(t *testing.T, s *scripted) {
			t.Helper()
			s.setCertificate(t, harness.NewCA(t, "other").CertFile, harness.NewCA(t, "ca").Server(t, "server", "flowcontrol-apiserver.flowcontrol-system.svc").CertFile)
		}, "v1beta3", "is not signed by its ca.crt"},
		{"a certificate of another name", func(t *testing.T, s *scripted) {
			t.Helper()
			ca := harness.NewCA(t, "ca")
			s.setCertificate(t, ca.CertFile, ca.Server(t, "server", "flowcontrol-apiserver.flowcontrol-system.svc.example.com").CertFile)
		}, "v1beta3", "does not have the name flowcontrol-apiserver.flowcontrol-system.svc"},
		{"no replica", func(t *testing.T, s *scripted) { t.Helper(); s.unset(t, "reachable") }, "v1beta3",
			"kube-apiserver reaches no replica that is ready: no endpoints available"},
		{"a registration of someone else", func(t *testing.T, s *scripted) { t.Helper(); s.set(t, "v1beta3", "other/server") }, "v1beta3",
			"APIService v1beta3.flowcontrol.apiserver.k8s.io names the Service other/server"},
		{"v1 first", func(*testing.T, *scripted) {}, "v1", "run 'register.sh v1beta3 v1'"},
		{"an unknown version", func(*testing.T, *scripted) {}, "v2", "unknown version v2: it must be v1beta3 or v1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScripted(t)
			test.change(t, s)
			output, changes, err := s.run(t, "registration/register.sh", test.version)
			require.Error(t, err, output)
			require.Contains(t, output, test.says)
			require.Empty(t, changes)
		})
	}
}

func TestRegisterUndoesARegistrationThatIsNotAvailable(t *testing.T) {
	const ours = "flowcontrol-system/flowcontrol-apiserver"
	for _, test := range []struct {
		name, version, v1beta3, v1 string
		undone                     []string
		says                       string
	}{
		{"v1beta3, which nobody served", "v1beta3", "", "local", []string{"delete v1beta3.flowcontrol.apiserver.k8s.io"}, "It is not registered now"},
		{"v1, which kube-apiserver served", "v1", ours, "local", []string{"replace return-v1"}, "kube-apiserver serves it again"},
		{"v1, whose return to kube-apiserver was interrupted", "v1", ours, "", []string{"replace return-v1"}, "kube-apiserver serves it again"},
		{"v1beta3, which was registered before", "v1beta3", ours, "local", nil, "It was registered before, and stays registered"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScripted(t)
			s.set(t, "v1beta3", test.v1beta3)
			s.set(t, "v1", test.v1)
			s.unset(t, "available")
			output, changes, err := s.run(t, "registration/register.sh", test.version)
			require.Error(t, err, output)
			require.Contains(t, output, "did not find "+test.version+".flowcontrol.apiserver.k8s.io available within 2m: x509: unknown authority. "+test.says)
			require.Contains(t, changes, "apply apiservice.yaml")
			require.Equal(t, test.undone, after(changes, "apply apiservice.yaml"))
		})
	}
}

func TestRegisterLeavesNothingOfV1ThatKubeAPIServerDoesNotHave(t *testing.T) {
	s := newScripted(t)
	s.set(t, "v1", "")
	s.set(t, "without-v1", "")
	s.unset(t, "available")
	output, changes, err := s.run(t, "registration/register.sh", "v1")
	require.Error(t, err, output)
	require.Contains(t, output, "It is not registered now")
	require.Equal(t, []string{"apply apiservice.yaml", "delete v1.flowcontrol.apiserver.k8s.io"}, changes)
}

func TestRegisterSaysWhatToDoIfItCannotUndo(t *testing.T) {
	for version, command := range map[string]string{
		"v1beta3": "'kubectl delete apiservice v1beta3.flowcontrol.apiserver.k8s.io'",
		"v1":      "'kubectl replace --force -k " + folder(t, "overlays/return-v1") + "'",
	} {
		s := newScripted(t)
		if version == "v1" {
			s.set(t, "v1beta3", "flowcontrol-system/flowcontrol-apiserver")
		}
		s.unset(t, "available")
		s.set(t, "stuck", "")
		output, _, err := s.run(t, "registration/register.sh", version)
		require.Error(t, err, output)
		require.Contains(t, output, "x509: unknown authority. Undoing that failed: run "+command)
	}
}

// after returns what follows the element.
func after(changes []string, element string) []string {
	for i, change := range changes {
		if change == element && i+1 < len(changes) {
			return changes[i+1:]
		}
	}
	return nil
}

func TestInstallRegistersLast(t *testing.T) {
	s := newScripted(t)
	s.set(t, "statefulset", "")
	output, changes, err := s.run(t, "install.sh", folder(t, "overlays/own-etcd"))
	require.NoError(t, err, output)
	require.Equal(t, "apply own-etcd", changes[0])
	require.Equal(t, "apply apiservice.yaml", changes[len(changes)-1])

	t.Run("with cert-manager", func(t *testing.T) {
		s := newScripted(t)
		output, changes, err := s.run(t, "install.sh", "--cert-manager", folder(t, "overlays/external-etcd"))
		require.NoError(t, err, output)
		require.Equal(t, []string{"apply external-etcd", "apply cert-manager", "apply apiservice.yaml"}, changes)
	})
}

func TestInstallRegistersNothingIfTheReplicasAreNotReady(t *testing.T) {
	for _, test := range []struct{ name, missing, says string }{
		{"no rollout", "rolled-out", "the replicas are not ready within 5m"},
		{"no certificate for etcd", "etcd-client", "Secret flowcontrol-system/flowcontrol-apiserver-etcd-client is missing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScripted(t)
			s.unset(t, test.missing)
			output, changes, err := s.run(t, "install.sh", folder(t, "overlays/external-etcd"))
			require.Error(t, err, output)
			require.Contains(t, output, test.says)
			require.NotContains(t, changes, "apply apiservice.yaml")
		})
	}
	s := newScripted(t)
	output, _, err := s.run(t, "install.sh", "/nowhere")
	require.Error(t, err)
	require.Contains(t, output, "install.sh: /nowhere is no folder")
}
