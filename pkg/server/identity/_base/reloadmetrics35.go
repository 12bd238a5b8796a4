//go:build k8s0.35

package identity

import reloadmetrics "k8s.io/apiserver/pkg/server/options/authenticationconfig/metrics"

// Since k8s.io 0.35 a metric has the hash of the configuration in use. The calls move into
// authenticationconfig.go when go.mod requires it.

func showConfiguration(serverID, content string) {
	reloadmetrics.RecordAuthenticationConfigLastConfigInfo(serverID, content)
}

func countReload(serverID, content string) {
	reloadmetrics.RecordAuthenticationConfigAutomaticReloadSuccess(serverID, content)
}
