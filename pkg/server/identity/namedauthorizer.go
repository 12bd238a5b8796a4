package identity

import "k8s.io/apiserver/pkg/authorization/authorizer"

// namedAuthorizer is an authorizer of a union. No other in the union has its name, which
// reasons contain since k8s.io 0.37.
type namedAuthorizer struct {
	name       string
	authorizer authorizer.Authorizer
}
