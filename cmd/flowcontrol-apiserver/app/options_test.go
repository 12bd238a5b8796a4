package app

import (
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// parseFlags returns the options of a command line.
func parseFlags(t *testing.T, args ...string) *Options {
	t.Helper()
	options := NewOptions()
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	for _, set := range options.Flags().FlagSets {
		flags.AddFlagSet(set)
	}
	require.NoError(t, flags.Parse(args))
	return options
}

func TestServerWithoutFlagsIsAloneOnThisMachine(t *testing.T) {
	options := parseFlags(t)
	require.Equal(t, ".flowcontrol-apiserver", options.DataDir)
	require.Equal(t, "127.0.0.1", options.SecureServing.BindAddress.String())
	require.Equal(t, 6443, options.SecureServing.BindPort)
	require.Empty(t, options.Complete().Validate())
}

func TestObjectsAreStoredAsKubeAPIServerStoresThem(t *testing.T) {
	etcd := parseFlags(t).Etcd
	require.Equal(t, "/registry/flowcontrol.apiserver.k8s.io", etcd.StorageConfig.Prefix)
	require.Equal(t, "application/vnd.kubernetes.protobuf", etcd.DefaultStorageMediaType)
}

func TestWatchesMayAskForInitialEvents(t *testing.T) {
	NewOptions()
	require.True(t, utilfeature.DefaultFeatureGate.Enabled(features.WatchList))
}

func TestStopEndsWatchesSoonerThanAPodIsKilled(t *testing.T) {
	grace := parseFlags(t).Run.ShutdownWatchTerminationGracePeriod
	require.Positive(t, grace)
	require.Less(t, grace, 30*time.Second)
}

func TestFlagsOfKubeAPIServerAreKnown(t *testing.T) {
	sets := NewOptions().Flags()
	known := pflag.NewFlagSet("test", pflag.ContinueOnError)
	for _, set := range sets.FlagSets {
		known.AddFlagSet(set)
	}
	for _, flag := range []string{
		"etcd-servers", "etcd-prefix", "etcd-cafile", "etcd-certfile", "etcd-keyfile", "etcd-compaction-interval",
		"etcd-healthcheck-timeout", "etcd-readycheck-timeout", "encryption-provider-config", "watch-cache", "watch-cache-sizes",
		"bind-address", "secure-port", "cert-dir", "tls-cert-file", "tls-private-key-file", "tls-min-version", "tls-cipher-suites",
		"http2-max-streams-per-connection", "max-requests-inflight", "max-mutating-requests-inflight", "request-timeout",
		"min-request-timeout", "goaway-chance", "enable-priority-and-fairness", "livez-grace-period", "shutdown-delay-duration",
		"shutdown-send-retry-after", "runtime-config", "feature-gates", "enable-admission-plugins", "disable-admission-plugins",
		"audit-policy-file", "audit-log-path", "audit-webhook-config-file", "tracing-config-file",
		"show-hidden-metrics-for-version", "profiling", "v", "logging-format",
		"anonymous-auth", "kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig", "client-ca-file", "token-auth-file",
		"authentication-config", "authorization-webhook-config-file",
	} {
		require.NotNil(t, known.Lookup(flag), "--%s", flag)
	}
}
