// Package gates asks for features whose gates the library removes one day, because they are
// always on then.
package gates

import "k8s.io/component-base/featuregate"

const (
	// APIServerTracing is gone in k8s.io 0.37.
	APIServerTracing featuregate.Feature = "APIServerTracing"
	// AuthorizeWithSelectors is gone in k8s.io 0.37.
	AuthorizeWithSelectors featuregate.Feature = "AuthorizeWithSelectors"
	// StructuredAuthenticationConfiguration is gone in k8s.io 0.37.
	StructuredAuthenticationConfiguration featuregate.Feature = "StructuredAuthenticationConfiguration"
)

// Enabled reports whether a feature is on. A feature without a gate is.
func Enabled(gates featuregate.FeatureGate, feature featuregate.Feature) bool {
	_, known := gates.DeepCopy().GetAll()[feature]
	return !known || gates.Enabled(feature)
}
