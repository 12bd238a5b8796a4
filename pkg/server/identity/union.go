//go:build !k8s0.37

package identity

import (
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/union"
)

// In k8s.io 0.37 authorizers of a union have names. This file can go when go.mod requires it.

func newAuthorizerUnion(named ...namedAuthorizer) (authorizer.Authorizer, error) { //nolint:unparam // it can fail since k8s.io 0.37
	var authorizers []authorizer.Authorizer
	for _, next := range named {
		authorizers = append(authorizers, next.authorizer)
	}
	return union.New(authorizers...), nil
}
