package rules

import (
	"fmt"
	"strings"
)

// Tenants says which flows of a flow schema are one tenant: the value of --flow-control-tenants.
// Tenants of a priority level share its seats equally, whatever the number of their flows.
type Tenants string

// The values. The empty one means NoTenants.
const (
	// NoTenants makes each flow a tenant of its own.
	NoTenants Tenants = "none"
	// ServiceAccountNamespaces makes the flows of the service accounts of a namespace one tenant, within a
	// flow schema that distinguishes users. Each other flow is a tenant of its own. So is each
	// flow of another schema: it has requests of many users.
	ServiceAccountNamespaces Tenants = "service-account-namespaces"
)

// Validate returns an error that lists the values, unless t is one of them.
func (t Tenants) Validate() error {
	switch t {
	case NoTenants, ServiceAccountNamespaces:
		return nil
	default:
		return fmt.Errorf("%s must be one of %s, %s", t, NoTenants, ServiceAccountNamespaces)
	}
}

// TenantOf returns the name of the tenant that a flow of the schema belongs to: a namespace, as a part of
// the distinguisher. It is empty if the flow is a tenant of its own.
func (t Tenants) TenantOf(s *Schema, distinguisher string) string {
	if t != ServiceAccountNamespaces || s.Distinguisher != ByUser {
		return ""
	}
	namespace, name, _ := strings.Cut(strings.TrimPrefix(distinguisher, ServiceAccountPrefix), ":")
	if !strings.HasPrefix(distinguisher, ServiceAccountPrefix) || namespace == "" || name == "" || strings.Contains(name, ":") {
		return ""
	}
	return namespace
}
