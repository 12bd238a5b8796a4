package serving

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	unknownAuditLevel = "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Everything\n"
	anyAuditPolicy    = "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n"
	shortKey          = "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n" +
		"- resources: ['*.*']\n  providers:\n  - aescbc: {keys: [{name: short, secret: c2hvcnQ=}]}\n"
	tooManyTraces = "apiVersion: apiserver.config.k8s.io/v1beta1\nkind: TracingConfiguration\nsamplingRatePerMillion: 2000000\n"
)

// TestBadValuesAreRejectedByFlagAndFile tests flags that name a missing or invalid
// file, and flags with an invalid value. All errors occur before the server needs
// a store.
func TestBadValuesAreRejectedByFlagAndFile(t *testing.T) {
	t.Parallel()
	absent := filepath.Join(t.TempDir(), "absent")
	garbage, policy := fileOf(t, "garbage", "garbage\n"), fileOf(t, "any-policy", anyAuditPolicy)
	for _, test := range []struct {
		name, flag, value string
		more              []string
		says              string
	}{
		{"encryption configuration that is absent", "--encryption-provider-config", absent, nil, "no such file"},
		{"encryption configuration that is none", "--encryption-provider-config", garbage, nil, "json"},
		{"encryption key of a wrong length", "--encryption-provider-config", fileOf(t, "key", shortKey), nil, "expected one of [16 24 32]"},
		{"tracing configuration that is absent", "--tracing-config-file", absent, nil, "does not exist"},
		{"tracing configuration that is none", "--tracing-config-file", garbage, nil, "json"},
		{"tracing of more than all", "--tracing-config-file", fileOf(t, "tracing", tooManyTraces), nil, "must be less than or equal to one million"},
		{"audit policy that is absent", "--audit-policy-file", absent, nil, "no such file"},
		{"audit policy that is none", "--audit-policy-file", garbage, nil, "json"},
		{"audit policy with an unknown level", "--audit-policy-file", fileOf(t, "policy", unknownAuditLevel), nil, `supported values: "None", "Metadata"`},
		{"audit webhook that is absent", "--audit-webhook-config-file", absent, []string{"--audit-policy-file=" + policy}, "no such file"},
		{"audit webhook that is none", "--audit-webhook-config-file", garbage, []string{"--audit-policy-file=" + policy}, "json"},
		{"audit log below a file", "--audit-log-path", filepath.Join(garbage, "audit.log"), []string{"--audit-policy-file=" + policy}, "not a directory"},
		{"unknown TLS version", "--tls-min-version", "VersionTLS9", nil, "VersionTLS13"},
		{"unknown cipher suite", "--tls-cipher-suites", "TLS_NONE", nil, "--help"},
		{"cipher suites without what HTTP/2 needs", "--tls-cipher-suites", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", nil, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"},
		{"less than no streams", "--http2-max-streams-per-connection", "-1", nil, "not be negative"},
		{"watch cache that is neither on nor off", "--watch-cache", "maybe", nil, "invalid"},
		{"size of no watch cache", "--watch-cache-sizes", "big", nil, "resource[.group]#size"},
		{"profiling that is neither on nor off", "--profiling", "maybe", nil, "invalid"},
		{"less than no grace", "--livez-grace-period", "-1s", nil, "negative"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			// Nothing listens on the port of etcd.
			ports := harness.FreePorts(t, 2)
			code, output := harness.RunServer(t, append(test.more, test.flag+"="+test.value,
				"--etcd-servers=http://127.0.0.1:"+strconv.Itoa(ports[0]), "--secure-port="+strconv.Itoa(ports[1]))...)
			require.Equal(t, 1, code, output)
			// The library connects to etcd before it reads the encryption configuration,
			// and logs the failed connection.
			require.Equal(t, 1, strings.Count(output, "flowcontrol-apiserver: "), "one message:\n%s", output)
			_, message, _ := strings.Cut(output, "flowcontrol-apiserver: ")
			require.Equal(t, 1, strings.Count(message, "\n"), "of one line, the last one:\n%s", output)
			require.Contains(t, message, strings.TrimPrefix(test.flag, "--"))
			require.Contains(t, message, test.says)
			if filepath.IsAbs(test.value) {
				require.Contains(t, message, test.value)
			}
		})
	}
}
