package app

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// mode is how a server runs: where objects are, and who says who users are.
type mode struct {
	name                    string
	args                    []string
	externalEtcd, delegated bool
}

func modes() []mode {
	const etcd, kubeconfig = "--etcd-servers=https://127.0.0.1:1", "--kubeconfig=file"
	return []mode{
		{name: "alone"},
		{"with an etcd", []string{etcd}, true, false},
		{"behind a kube-apiserver", []string{kubeconfig}, false, true},
		{"with an etcd, behind a kube-apiserver", []string{etcd, kubeconfig}, true, true},
	}
}

// effect says the modes where a flag has an effect.
type effect struct {
	in func(mode) bool
	// flags are on the lines, each with what it requires.
	flags string
}

// effects classify every flag. A flag without an effect in a mode is rejected there: it
// would be believed to have one.
func effects() []effect {
	return []effect{
		// The flags of a part that is switched off are accepted, as by kube-apiserver, and so is
		// --data-dir by a server that writes nothing there: a unit names it whatever else is set.
		// --events is on by default, even if no kube-apiserver could take an Event.
		{func(mode) bool { return true }, `
			data-dir etcd-servers kubeconfig authentication-kubeconfig authorization-kubeconfig
			delete-collection-workers encryption-provider-config encryption-provider-config-automatic-reload
			etcd-compaction-interval etcd-count-metric-poll-period etcd-db-metric-poll-interval etcd-healthcheck-timeout
			etcd-prefix etcd-readycheck-timeout storage-backend storage-media-type watch-cache watch-cache-sizes
			bind-address cert-dir disable-http2-serving http2-max-streams-per-connection permit-address-sharing permit-port-sharing
			secure-port tls-cert-file tls-cipher-suites tls-min-version tls-private-key-file tls-sni-cert-key
			anonymous-auth client-ca-file authorization-always-allow-paths
			authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl
			advertise-address cors-allowed-origins emulated-version events external-hostname
			feature-gates flow-control-tenants flow-control-total flow-control-total-max flow-control-total-min goaway-chance list-cost
			livez-grace-period max-exempt-requests-inflight max-mutating-requests-inflight max-requests-inflight
			min-request-timeout request-timeout shutdown-delay-duration
			shutdown-send-retry-after shutdown-watch-termination-grace-period storage-initialization-timeout
			strict-transport-security-directives runtime-config
			audit-flow-control audit-log-batch-buffer-size audit-log-batch-max-size audit-log-batch-max-wait
			audit-log-batch-throttle-burst audit-log-batch-throttle-enable audit-log-batch-throttle-qps audit-log-compress
			audit-log-format audit-log-maxage audit-log-maxbackup audit-log-maxsize audit-log-mode audit-log-path
			audit-log-truncate-enabled audit-log-truncate-max-batch-size audit-log-truncate-max-event-size audit-log-version
			audit-policy-file audit-webhook-batch-buffer-size audit-webhook-batch-max-size audit-webhook-batch-max-wait
			audit-webhook-batch-throttle-burst audit-webhook-batch-throttle-enable audit-webhook-batch-throttle-qps
			audit-webhook-config-file audit-webhook-initial-backoff audit-webhook-mode audit-webhook-truncate-enabled
			audit-webhook-truncate-max-batch-size audit-webhook-truncate-max-event-size audit-webhook-version
			contention-profiling debug-socket-path enable-priority-and-fairness profiling
			egress-selector-config-file tracing-config-file
			tls-curve-preferences min-compatibility-version
			allow-metric-labels allow-metric-labels-manifest disabled-metrics show-hidden-metrics-for-version
			log-flush-frequency log-json-info-buffer-size log-json-split-stream log-text-info-buffer-size log-text-split-stream
			logging-format v vmodule`},
		{func(m mode) bool { return !m.externalEtcd }, `
			etcd-quota-backend-bytes=4194304
			etcd-snapshot-interval=1h
			etcd-snapshot-retain=3
			etcd-snapshot-dir=x --etcd-snapshot-interval=1h`},
		{func(m mode) bool { return m.externalEtcd }, `
			etcd-cafile=x
			etcd-certfile=x --etcd-keyfile=x
			etcd-keyfile=x --etcd-certfile=x`},
		{func(m mode) bool { return m.delegated }, `
			enable-garbage-collector=false
			tls-self-issued-service=a/b
			authentication-skip-lookup=true
			authentication-tolerate-lookup-failure=true
			authentication-token-webhook-cache-ttl=1s
			requestheader-client-ca-file=x
			requestheader-allowed-names=x --requestheader-client-ca-file=x
			requestheader-extra-headers-prefix=X-Remote-Extra- --requestheader-client-ca-file=x
			requestheader-group-headers=X-Remote-Group --requestheader-client-ca-file=x
			requestheader-uid-headers=X-Remote-Uid --requestheader-client-ca-file=x
			requestheader-username-headers=X-Remote-User --requestheader-client-ca-file=x
			admission-control-config-file=x
			enable-admission-plugins=MutatingAdmissionWebhook
			disable-admission-plugins=MutatingAdmissionWebhook`},
		{func(m mode) bool { return !m.delegated }, `
			authentication-config=x
			token-auth-file=x
			authorization-rbac-file=x
			authorization-webhook-config-file=x
			authorization-webhook-version=v1 --authorization-webhook-config-file=x`},
		{func(mode) bool { return false }, `
			etcd-servers-overrides=flowcontrol.apiserver.k8s.io/flowschemas#https://127.0.0.1:1
			lease-reuse-duration-seconds=61
			emulation-forward-compatible=true --emulated-version=1.32
			runtime-config-emulation-forward-compatible=true --emulated-version=1.32`},
	}
}

func TestEveryFlagHasAnEffectOrIsRejected(t *testing.T) {
	var classified []string
	for _, effect := range effects() {
		if effect.in(modes()[0]) && effect.in(modes()[3]) {
			classified = append(classified, strings.Fields(effect.flags)...)
			continue
		}
		for line := range strings.Lines(strings.TrimSpace(effect.flags)) {
			args := strings.Fields("--" + strings.TrimSpace(line))
			flag, _, _ := strings.Cut(args[0], "=")
			classified = append(classified, flag[2:])
			for _, mode := range modes() {
				err := errors.Join(parseFlags(t, slices.Concat(mode.args, args)...).Complete().Validate()...)
				if effect.in(mode) {
					require.NoError(t, err, "%s %s", mode.name, args)
					continue
				}
				require.Error(t, err, "%s %s", mode.name, args)
				require.Regexp(t, flag+`[ =].*(remove|instead)`, err.Error(), "%s %s", mode.name, args)
			}
		}
	}
	for _, set := range NewOptions().Flags().FlagSets {
		set.VisitAll(func(flag *pflag.Flag) {
			if flag.Deprecated == "" {
				require.Contains(t, classified, flag.Name, "say in effects() the modes where the flag has an effect")
			}
		})
	}
}
