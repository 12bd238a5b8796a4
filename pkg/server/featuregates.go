package server

import (
	"k8s.io/apiserver/pkg/features"
	"k8s.io/component-base/featuregate"
	logsapi "k8s.io/component-base/logs/api/v1"
)

// setFeatureGateDefaults sets the defaults of this server. The gates are the
// library's, one set for the process, and closed once flags exist for them; so a
// second call changes nothing.
func setFeatureGateDefaults(gates featuregate.MutableVersionedFeatureGate) error {
	if _, added := gates.GetAll()[logsapi.ContextualLogging]; !added {
		if err := logsapi.AddFeatureGates(gates); err != nil {
			return err
		}
	}
	if gates.GetAll()[features.WatchList].Default {
		return nil
	}
	// Watches may request initial events. The library refuses that by default.
	return gates.OverrideDefault(features.WatchList, true)
}
