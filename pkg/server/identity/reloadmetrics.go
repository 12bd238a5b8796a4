//go:build !k8s0.35

package identity

import reloadmetrics "k8s.io/apiserver/pkg/server/options/authenticationconfig/metrics"

// In k8s.io 0.35 a metric has the hash of the configuration in use. This file can go when
// go.mod requires it.

func showConfiguration(_, _ string) {}

func countReload(serverID, _ string) {
	reloadmetrics.RecordAuthenticationConfigAutomaticReloadSuccess(serverID)
}
