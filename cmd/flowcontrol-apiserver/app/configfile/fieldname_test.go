package configfile

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFieldsAreNamedAsTheAPIConventionsWriteThem(t *testing.T) {
	for flag, field := range map[string]string{
		"v":                                "v",
		"bind-address":                     "bindAddress",
		"etcd-cafile":                      "etcdCAFile",
		"etcd-keyfile":                     "etcdKeyFile",
		"tls-sni-cert-key":                 "tlsSNICertKey",
		"oidc-issuer-url":                  "oidcIssuerURL",
		"http2-max-streams-per-connection": "http2MaxStreamsPerConnection",
		"requestheader-client-ca-file":     "requestHeaderClientCAFile",
		"audit-log-maxbackup":              "auditLogMaxBackup",
		"audit-log-batch-throttle-qps":     "auditLogBatchThrottleQPS",
	} {
		require.Equal(t, field, FieldName(flag))
	}
}
