package app

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

// rejection returns the error of a start of the program with these flags. It starts up to opening
// the store, without process-wide settings.
func rejection(t *testing.T, args ...string) error {
	t.Helper()
	options := NewOptions()
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	for _, set := range options.Flags().FlagSets {
		flags.AddFlagSet(set)
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	opened, err := server.New(t.Context(), options.Complete())
	if err == nil {
		opened.Close()
	}
	return err
}

func TestValuesThatAFlagCannotHaveAreRejected(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		says []string
	}{
		{"port out of range", []string{"--secure-port=70000"}, []string{"--secure-port", "65535"}},
		{"address that is none", []string{"--bind-address=here"}, []string{"--bind-address"}},
		{"version nobody knows switched on", []string{"--runtime-config=flowcontrol.apiserver.k8s.io/v9=true"}, []string{"v9"}},
		{"less than no time", []string{"--request-timeout=-1s"}, []string{"--request-timeout"}},
		{"requests to annotate that are none of the choices", []string{"--audit-flow-control=some"}, []string{"--audit-flow-control=some", "none, governed, all"}},
		{"fewer than no exempt requests", []string{"--max-exempt-requests-inflight=-1"}, []string{"--max-exempt-requests-inflight=-1", "0 for no bound"}},
		{"storage type nobody knows", []string{"--storage-media-type=text/html"}, []string{"--storage-media-type"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := rejection(t, append(test.args, "--data-dir="+filepath.Join(harness.ShortDir(t), "data"))...)
			for _, text := range test.says {
				require.ErrorContains(t, err, text)
			}
		})
	}
}

func TestFilesThatCannotBeUsedAreRejectedByFlagAndName(t *testing.T) {
	dir := t.TempDir()
	garbage, shortLine, absent := filepath.Join(dir, "garbage"), filepath.Join(dir, "tokens"), filepath.Join(dir, "absent")
	require.NoError(t, os.WriteFile(garbage, []byte("garbage\n"), 0o600))
	empty := filepath.Join(dir, "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	require.NoError(t, os.WriteFile(shortLine, []byte("token,user,uid\nanother\n"), 0o600))
	ca := harness.NewCA(t, "ca")
	one, other := ca.Server(t, "one"), ca.Server(t, "other")
	kubeconfig := filepath.Join(dir, "kubeconfig")
	require.NoError(t, os.WriteFile(kubeconfig, []byte(`{"clusters": [{"name": "x", "cluster": {"server": "https://127.0.0.1:1"}}],
"contexts": [{"name": "x", "context": {"cluster": "x"}}], "current-context": "x"}`), 0o600))
	policy := filepath.Join(dir, "policy")
	require.NoError(t, os.WriteFile(policy, []byte("{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: Metadata}]}"), 0o600))
	const etcd = "--etcd-servers=https://127.0.0.1:1"
	behind := func(arg string) []string {
		return []string{"--kubeconfig=" + kubeconfig, "--authentication-skip-lookup", "--authentication-tolerate-lookup-failure", arg}
	}

	for _, test := range []struct {
		name string
		args []string
		says []string
	}{
		{"serving certificate that is absent", []string{"--tls-cert-file=" + absent, "--tls-private-key-file=" + one.KeyFile}, []string{"--tls-cert-file", absent}},
		{"serving certificate that is none", []string{"--tls-cert-file=" + garbage, "--tls-private-key-file=" + one.KeyFile}, []string{"--tls-cert-file", garbage}},
		{"serving certificate with the key of another", []string{"--tls-cert-file=" + one.CertFile, "--tls-private-key-file=" + other.KeyFile}, []string{"--tls-private-key-file", "does not match"}},
		{"authority of etcd that is absent", []string{etcd, "--etcd-cafile=" + absent}, []string{"--etcd-cafile", absent}},
		{"authority of etcd that is none", []string{etcd, "--etcd-cafile=" + garbage}, []string{"--etcd-cafile", garbage}},
		{"certificate for etcd with the key of another", []string{etcd, "--etcd-certfile=" + one.CertFile, "--etcd-keyfile=" + other.KeyFile}, []string{"--etcd-certfile", "--etcd-keyfile", "does not match"}},
		{"client authority that is absent", []string{"--client-ca-file=" + absent}, []string{"--client-ca-file", absent}},
		{"client authority that is none", []string{"--client-ca-file=" + garbage}, []string{"--client-ca-file", garbage}},
		{"token file that is absent", []string{"--token-auth-file=" + absent}, []string{"--token-auth-file", absent}},
		{"token file with a broken line", []string{"--token-auth-file=" + shortLine}, []string{"--token-auth-file", shortLine}},
		{"webhook that is not described", []string{"--authorization-webhook-config-file=" + garbage}, []string{"--authorization-webhook-config-file", garbage}},
		{"kubeconfig that is absent", []string{"--kubeconfig=" + absent}, []string{"--kubeconfig", absent}},
		{"kubeconfig that is empty", []string{"--kubeconfig=" + empty}, []string{"--kubeconfig=" + empty, "names a server"}},
		{"audit policy that is none", []string{"--audit-policy-file=" + garbage, "--audit-log-path=-"}, []string{"audit", garbage}},
		{"encryption configuration that is absent", []string{etcd, "--encryption-provider-config=" + absent}, []string{"encryption", absent}},
		{"tracing configuration that is absent", []string{"--tracing-config-file=" + absent}, []string{"tracing-config-file", absent}},
		{"tracing configuration that is none", []string{"--tracing-config-file=" + garbage}, []string{"tracing-config-file", garbage}},
		{"egress configuration that is none", []string{"--egress-selector-config-file=" + garbage}, []string{"--egress-selector-config-file", garbage}},
		{"roles that are none", []string{"--authorization-rbac-file=" + garbage}, []string{"--authorization-rbac-file", garbage}},
		{"audit webhook that is not described", []string{"--audit-policy-file=" + policy, "--audit-webhook-config-file=" + garbage}, []string{"--audit-webhook-config-file", garbage}},
		{"admission configuration that is absent", behind("--admission-control-config-file=" + absent), []string{"--admission-control-config-file", absent}},
		{"admission configuration that is none", behind("--admission-control-config-file=" + garbage), []string{"--admission-control-config-file", garbage}},
		{"authority of the front proxy that is none", behind("--requestheader-client-ca-file=" + garbage), []string{"--requestheader-client-ca-file=" + garbage}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := rejection(t, append(test.args,
				"--data-dir="+filepath.Join(harness.ShortDir(t), "data"), "--secure-port="+strconv.Itoa(ports.Free(t, 1)[0]))...)
			for _, text := range test.says {
				require.ErrorContains(t, err, text)
			}
		})
	}
}

// The library would only log that it cannot use the file, or panic.
func TestLabelManifestsThatCannotBeUsedAreRejected(t *testing.T) {
	file := filepath.Join(t.TempDir(), "manifest.yaml")
	options := NewOptions()
	options.Metrics.AllowListMappingManifest = file
	require.ErrorContains(t, options.validateMetrics(), "--allow-metric-labels-manifest="+file, "there is no file")
	for _, content := range []string{"[", "a metric without a label: a,b"} {
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		require.ErrorContains(t, options.validateMetrics(), "--allow-metric-labels-manifest="+file, content)
	}
	require.NoError(t, os.WriteFile(file, []byte("metric,label: a,b\n"), 0o600))
	require.NoError(t, options.validateMetrics())
}
