//go:build !k8s0.37

package identity

import (
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/union"
	genericfeatures "k8s.io/apiserver/pkg/features"
	"k8s.io/component-base/featuregate"
)

// In k8s.io 0.37 authorizers of a union have names, and two gates are gone. This file can go
// when go.mod requires it.

func newAuthorizerUnion(named ...namedAuthorizer) (authorizer.Authorizer, error) {
	var authorizers []authorizer.Authorizer
	for _, next := range named {
		authorizers = append(authorizers, next.authorizer)
	}
	return union.New(authorizers...), nil
}

func authorizesSelectors(gates featuregate.FeatureGate) bool {
	return gates.Enabled(genericfeatures.AuthorizeWithSelectors)
}

// authenticationConfigGate is the gate that the flag needs.
func authenticationConfigGate(gates featuregate.FeatureGate) (gate featuregate.Feature, enabled bool) {
	return genericfeatures.StructuredAuthenticationConfiguration, gates.Enabled(genericfeatures.StructuredAuthenticationConfiguration)
}
