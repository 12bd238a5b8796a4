package server

import (
	"k8s.io/apiserver/pkg/features"
	"k8s.io/component-base/featuregate"
	logsapi "k8s.io/component-base/logs/api/v1"
)

// prepareGates makes the feature gates ready for this server. They are the
// library's, one set for the whole process, and closed once flags were made of
// them; so what is ready is left alone.
func prepareGates(gates featuregate.MutableVersionedFeatureGate) error {
	if _, added := gates.GetAll()[logsapi.ContextualLogging]; !added {
		if err := logsapi.AddFeatureGates(gates); err != nil {
			return err
		}
	}
	if gates.GetAll()[features.WatchList].Default {
		return nil
	}
	// Watches may ask for initial events; --feature-gates=WatchList=false refuses
	// that, as the library does by default.
	return gates.OverrideDefault(features.WatchList, true)
}
