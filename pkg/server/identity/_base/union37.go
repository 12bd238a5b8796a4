//go:build k8s0.37

package identity

import (
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/union"
)

// Since k8s.io 0.37 authorizers of a union have names. When go.mod requires it, the library's
// NamedAuthorizer replaces namedAuthorizer, and this file can go.

func newAuthorizerUnion(named ...namedAuthorizer) (authorizer.Authorizer, error) {
	var authorizers []union.NamedAuthorizer
	for _, next := range named {
		authorizers = append(authorizers, union.NamedAuthorizer{AuthorizerName: next.name, Authorizer: next.authorizer})
	}
	return union.New(authorizers...)
}
