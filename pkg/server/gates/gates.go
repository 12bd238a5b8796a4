// Package gates asks for features whose gates the library removes one day, because they are
// always on then.
package gates

import "k8s.io/component-base/featuregate"

// APIServerTracing is gone in k8s.io 0.37.
const APIServerTracing featuregate.Feature = "APIServerTracing"

// Enabled reports whether a feature is on. A feature without a gate is.
func Enabled(gates featuregate.FeatureGate, feature featuregate.Feature) bool {
	_, known := gates.DeepCopy().GetAll()[feature]
	return !known || gates.Enabled(feature)
}
