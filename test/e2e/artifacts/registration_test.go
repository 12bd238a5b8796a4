package artifacts

import (
	"context"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
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
*"get secret flowcontrol-apiserver-serving"*ca.key*) cat "$STATE/ca.key" ;;
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
*"get deployment"*) [ -e "$STATE/deployment" ] ;;
kustomize*) cat "$STATE/overlay" ;;
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
	for name, content := range certificateFiles(t, ca.CertFile, ca.Server(t, "server", "flowcontrol-apiserver.flowcontrol-system.svc").CertFile) {
		s.set(t, name, content)
	}
	for _, name := range []string{"reachable", "available", "rolled-out", "etcd-client"} {
		s.set(t, name, "")
	}
	s.set(t, "ca.key", "")
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

// certificateFiles returns the files of the Secret with the serving certificate.
func certificateFiles(t *testing.T, caFile, certFile string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for name, file := range map[string]string{"ca.crt": caFile, "tls.crt": certFile} {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		files[name] = base64.StdEncoding.EncodeToString(content)
	}
	return files
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

// TestRegister runs register.sh on clusters whose state differs in some files; "gone" removes one.
func TestRegister(t *testing.T) {
	const (
		ours      = "flowcontrol-system/flowcontrol-apiserver"
		unlisted  = `no matches for kind "FlowSchema" in version "flowcontrol.apiserver.k8s.io/v1beta3"`
		notFound  = "flowcontrol.apiserver.k8s.io available within 2m: x509: unknown authority. "
		schemas   = "apply flowschemas.yaml"
		applied   = "apply apiservice.yaml"
		returned  = "replace return-v1"
		noReplica = "kube-apiserver reaches no replica that is ready: no endpoints available"
	)
	ca := harness.NewCA(t, "ca")
	ofOther := certificateFiles(t, harness.NewCA(t, "other").CertFile, ca.Server(t, "server", "flowcontrol-apiserver.flowcontrol-system.svc").CertFile)
	ofOtherName := certificateFiles(t, ca.CertFile, ca.Server(t, "server", "flowcontrol-apiserver.flowcontrol-system.svc.example.com").CertFile)
	for _, test := range []struct {
		name, version string
		state         map[string]string
		says          string
		changes       []string
		fails         bool
	}{
		{"what can be served", "v1beta3", nil, "registered: APIService v1beta3.flowcontrol.apiserver.k8s.io is available\n", []string{applied}, false},
		{"v1, with the FlowSchemas in place", "v1", map[string]string{"v1beta3": ours}, "", []string{schemas, applied}, false},

		// After replicas recover, kube-apiserver does not list v1beta3 at once.
		{"listed at the second attempt", "v1", map[string]string{"v1beta3": ours, "unlisted": unlisted, "attempts": "2"}, "", []string{schemas, schemas, applied}, false},
		{"not listed", "v1", map[string]string{"v1beta3": ours, "unlisted": unlisted}, "register.sh: kubectl apply: " + unlisted, []string{schemas}, true},
		{"rejected", "v1", map[string]string{"v1beta3": ours, "unlisted": "flowschemas is forbidden", "attempts": "2"}, "register.sh: kubectl apply: flowschemas is forbidden\n", []string{schemas}, true},

		{"a server that issues its certificate", "v1beta3", map[string]string{"tls.crt": "", "ca.key": "a2V5"}, "registered: ", []string{applied}, false},
		{"no certificate", "v1beta3", map[string]string{"tls.crt": ""}, "Secret flowcontrol-system/flowcontrol-apiserver-serving is missing, or lacks ca.crt or tls.crt", nil, true},
		{"a certificate of another CA", "v1beta3", ofOther, "is not signed by its ca.crt", nil, true},
		{"a certificate of another name", "v1beta3", ofOtherName, "does not have the name flowcontrol-apiserver.flowcontrol-system.svc", nil, true},
		{"no replica", "v1beta3", map[string]string{"reachable": "gone"}, noReplica, nil, true},
		{"a registration of someone else", "v1beta3", map[string]string{"v1beta3": "other/server"}, "APIService v1beta3.flowcontrol.apiserver.k8s.io names the Service other/server", nil, true},
		{"v1 first", "v1", nil, "run 'register.sh v1beta3 v1'", nil, true},
		{"an unknown version", "v2", nil, "unknown version v2: it must be v1beta3 or v1", nil, true},

		{"v1beta3 that is not available, which nobody served", "v1beta3", map[string]string{"available": "gone"},
			"did not find v1beta3." + notFound + "It is not registered now", []string{applied, "delete v1beta3.flowcontrol.apiserver.k8s.io"}, true},
		{"v1 that is not available, which kube-apiserver served", "v1", map[string]string{"v1beta3": ours, "available": "gone"},
			"did not find v1." + notFound + "kube-apiserver serves it again", []string{schemas, applied, returned}, true},
		{"v1 that is not available, whose return to kube-apiserver was interrupted", "v1", map[string]string{"v1beta3": ours, "v1": "", "available": "gone"},
			"did not find v1." + notFound + "kube-apiserver serves it again", []string{schemas, applied, returned}, true},
		{"v1beta3 that is not available, which was registered before", "v1beta3", map[string]string{"v1beta3": ours, "available": "gone"},
			"did not find v1beta3." + notFound + "It was registered before, and stays registered", []string{applied}, true},
		{"v1 that kube-apiserver does not have", "v1", map[string]string{"v1": "", "without-v1": "", "available": "gone"},
			"It is not registered now", []string{applied, "delete v1.flowcontrol.apiserver.k8s.io"}, true},
		{"v1beta3, and undoing fails", "v1beta3", map[string]string{"available": "gone", "stuck": ""},
			"Undoing that failed: run 'kubectl delete apiservice v1beta3.flowcontrol.apiserver.k8s.io'", []string{applied, "delete v1beta3.flowcontrol.apiserver.k8s.io"}, true},
		{"v1, and undoing fails", "v1", map[string]string{"v1beta3": ours, "available": "gone", "stuck": ""},
			"Undoing that failed: run 'kubectl replace --force -k " + folder(t, "overlays/return-v1") + "'", []string{schemas, applied, returned}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScripted(t)
			for name, content := range test.state {
				switch {
				case name == "attempts":
					s.attempts = content
				case content == "gone":
					s.unset(t, name)
				default:
					s.set(t, name, content)
				}
			}
			output, changes, err := s.run(t, "registration/register.sh", test.version)
			require.Equal(t, test.fails, err != nil, output)
			require.Contains(t, output, test.says)
			require.Equal(t, test.changes, changes, output)
		})
	}
}

// What an overlay has, as 'kubectl kustomize' writes it.
const (
	rendered = "apiVersion: apps/v1\nkind: Deployment\n---\napiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\n---\napiVersion: v1\nkind: Service\n"
	ownEtcd  = "---\napiVersion: apps/v1\nkind: StatefulSet\n"
)

// kube-apiserver enforces FlowSchemas at once, and what is registered must be served.
func TestInstallAppliesFlowSchemasAndRegistersWhenReplicasAreReady(t *testing.T) {
	s := newScripted(t)
	s.set(t, "overlay", rendered+ownEtcd)
	output, changes, err := s.run(t, "install.sh", folder(t, "overlays/own-etcd"))
	require.NoError(t, err, output)
	require.Equal(t, "apply first.yaml", changes[0])
	require.Equal(t, []string{"apply enforced.yaml", "apply apiservice.yaml"}, changes[len(changes)-2:])

	for name, test := range map[string]struct {
		overlay string
		changes []string
	}{
		"the server issues its certificate": {rendered, nil},
		"its certificate is in files":       {rendered + "---\nkind: Deployment\n        - --tls-cert-file=/etc/x\n", []string{"apply -", "apply -"}}, // Secrets of the script
	} {
		t.Run(name, func(t *testing.T) {
			s := newScripted(t)
			s.set(t, "overlay", test.overlay)
			s.set(t, "tls.crt", base64.StdEncoding.EncodeToString([]byte("none")))
			s.set(t, "ca.key", "a2V5")
			output, changes, err := s.run(t, "install.sh", folder(t, "overlays/external-etcd"))
			require.NoError(t, err, output)
			require.Equal(t, slices.Concat([]string{"apply first.yaml"}, test.changes, []string{"apply enforced.yaml", "apply apiservice.yaml"}), changes)
		})
	}
	t.Run("with cert-manager", func(t *testing.T) {
		s := newScripted(t)
		s.set(t, "overlay", rendered)
		output, changes, err := s.run(t, "install.sh", "--cert-manager", folder(t, "overlays/external-etcd"))
		require.NoError(t, err, output)
		require.Equal(t, []string{"apply first.yaml", "apply cert-manager", "apply enforced.yaml", "apply apiservice.yaml"}, changes)
	})
}

// TestInstallByCertManagerMountsWhatCertManagerMakes lets the script use the real kubectl for kustomizations.
func TestInstallByCertManagerMountsWhatCertManagerMakes(t *testing.T) {
	for _, overlay := range overlays(t) {
		s := newScripted(t)
		kubectl := strings.Replace(fakeKubectl, `kustomize*) cat "$STATE/overlay" ;;`,
			`kustomize*) exec `+harness.Program(t, binaries.Kubectl)+` "$@" ;; "apply -f "*first.yaml) cp "$3" "$STATE" ;;`, 1)
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, "kubectl"), []byte(kubectl), 0o700))
		output, _, err := s.run(t, "install.sh", "--cert-manager", folder(t, overlay))
		require.NoError(t, err, output)
		first, err := os.ReadFile(filepath.Join(s.dir, "first.yaml"))
		require.NoError(t, err)
		objects := decode(t, string(first))
		args := server(t, objects).Spec.Template.Spec.Containers[0].Args
		require.Contains(t, args, "--tls-cert-file=/etc/flowcontrol-apiserver/serving/tls.crt")
		require.Contains(t, args, "--tls-private-key-file=/etc/flowcontrol-apiserver/serving/tls.key")
		require.NotContains(t, strings.Join(args, " "), "self-issued")
		require.NotContains(t, string(first), "kind: Secret\n", "cert-manager creates it, of its type")

		mounted, made := secretsMounted(t, objects), secretsMade(t, byCertManagerWithEtcd)
		if !slices.ContainsFunc(objects, isStatefulSet) {
			mounted.Delete("flowcontrol-apiserver-etcd-client") // users create it for an external etcd
			made = secretsMade(t, byCertManager)
		}
		require.ElementsMatch(t, mounted.Insert("flowcontrol-apiserver-ca").UnsortedList(), made, "artifacts/%s", overlay)
	}
}

// TestInstallSeparatesWhatIsEnforced compares both parts of each overlay with all of it.
func TestInstallSeparatesWhatIsEnforced(t *testing.T) {
	for _, overlay := range overlays(t) {
		s := newScripted(t)
		kubectl, err := os.ReadFile(filepath.Join(s.dir, "kubectl"))
		require.NoError(t, err)
		keeping := strings.Replace(string(kubectl), "case ", `case "$*" in "apply -f "*first.yaml | "apply -f "*enforced.yaml) cp "$3" "$STATE" ;; esac`+"\ncase ", 1)
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, "kubectl"), []byte(keeping), 0o700))
		all := render(t, overlay)
		var text strings.Builder
		for _, object := range all {
			encoded, err := yaml.Marshal(object.Object)
			require.NoError(t, err)
			text.WriteString("---\n" + string(encoded))
		}
		s.set(t, "overlay", text.String())
		output, _, err := s.run(t, "install.sh", folder(t, overlay))
		require.NoError(t, err, output)
		separated := 0
		for part, enforced := range map[string]bool{"first.yaml": false, "enforced.yaml": true} {
			content, err := os.ReadFile(filepath.Join(s.dir, part))
			if os.IsNotExist(err) {
				continue
			}
			require.NoError(t, err)
			for _, document := range strings.Split(string(content), "---\n")[1:] {
				var object struct{ APIVersion, Kind string }
				require.NoError(t, yaml.Unmarshal([]byte(document), &object))
				require.Equal(t, enforced, strings.HasPrefix(object.APIVersion, "flowcontrol.apiserver.k8s.io/"), object.Kind)
				separated++
			}
		}
		require.Equal(t, len(all), separated, overlay)
	}
}

func TestAFailedInstallSaysWhatUndoesIt(t *testing.T) {
	overlay := folder(t, "overlays/external-etcd")
	for _, test := range []struct{ name, missing, present, says, ends string }{
		{"no rollout", "rolled-out", "", "the replicas are not ready within 5m", "kubectl delete -k " + overlay + " --ignore-not-found\n"},
		{"no rollout of a new release", "rolled-out", "deployment", "Nothing was registered", "kubectl -n flowcontrol-system rollout undo deployment/flowcontrol-apiserver\n"},
		{"no registration", "reachable", "", "kube-apiserver reaches no replica", "kubectl delete -k " + overlay + " --ignore-not-found\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScripted(t)
			s.set(t, "overlay", rendered)
			s.unset(t, test.missing)
			if test.present != "" {
				s.set(t, test.present, "")
			}
			output, changes, err := s.run(t, "install.sh", overlay)
			require.Error(t, err, output)
			require.Contains(t, output, test.says)
			require.True(t, strings.HasSuffix(output, test.ends), output)
			require.NotContains(t, changes, "apply apiservice.yaml")
			if test.missing == "rolled-out" {
				require.NotContains(t, changes, "apply enforced.yaml")
			}
		})
	}
}

func TestInstallChangesNothingWithoutWhatItNeeds(t *testing.T) {
	s := newScripted(t)
	s.set(t, "overlay", rendered)
	s.unset(t, "etcd-client")
	output, changes, err := s.run(t, "install.sh", folder(t, "overlays/external-etcd"))
	require.Error(t, err)
	require.Contains(t, output, "Secret flowcontrol-system/flowcontrol-apiserver-etcd-client is missing")
	require.Contains(t, output, "kubectl create namespace flowcontrol-system")
	require.Empty(t, changes)
	output, _, err = s.run(t, "install.sh", "/nowhere")
	require.Error(t, err)
	require.Contains(t, output, "install.sh: /nowhere is no folder")
}
