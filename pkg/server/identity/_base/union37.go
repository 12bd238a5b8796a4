//go:build k8s0.37

package identity

import (
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/union"
	"k8s.io/component-base/featuregate"
)

// Since k8s.io 0.37 authorizers of a union have names, and two gates are gone. When go.mod
// requires it, the library's NamedAuthorizer replaces namedAuthorizer, and this file can go.

func newAuthorizerUnion(named ...namedAuthorizer) (authorizer.Authorizer, error) {
	var authorizers []union.NamedAuthorizer
	for _, next := range named {
		authorizers = append(authorizers, union.NamedAuthorizer{AuthorizerName: next.name, Authorizer: next.authorizer})
	}
	return union.New(authorizers...)
}

func authorizesSelectors(featuregate.FeatureGate) bool { return true }

func authenticationConfigGate(featuregate.FeatureGate) (gate featuregate.Feature, enabled bool) {
	return "", true
}
