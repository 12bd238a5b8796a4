package server

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/tracing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/identity/rbacfile"
)

// impersonators may, in this order: both halves; only the first; only the second; all that they
// may themselves, without constraint.
const impersonators = `
kind: ClusterRole
apiVersion: rbac.authorization.k8s.io/v1
metadata: {name: be-carol}
rules: [{apiGroups: [authentication.k8s.io], resources: [users], resourceNames: [carol], verbs: ['impersonate:user-info']}]
---
kind: ClusterRole
apiVersion: rbac.authorization.k8s.io/v1
metadata: {name: list-as-another}
rules: [{apiGroups: [flowcontrol.apiserver.k8s.io], resources: [flowschemas], verbs: ['impersonate-on:user-info:list']}]
---
kind: ClusterRole
apiVersion: rbac.authorization.k8s.io/v1
metadata: {name: unconstrained}
rules: [{apiGroups: [''], resources: [users], verbs: [impersonate]}]
---
kind: ClusterRole
apiVersion: rbac.authorization.k8s.io/v1
metadata: {name: read}
rules: [{apiGroups: [flowcontrol.apiserver.k8s.io], resources: [flowschemas], verbs: [get, list]}]
---
kind: ClusterRoleBinding
apiVersion: rbac.authorization.k8s.io/v1
metadata: {name: everybody}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: read}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: 'system:authenticated'}]
---
kind: ClusterRoleBinding
apiVersion: rbac.authorization.k8s.io/v1
metadata: {name: first}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: be-carol}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: both}, {apiGroup: rbac.authorization.k8s.io, kind: User, name: first}]
---
kind: ClusterRoleBinding
apiVersion: rbac.authorization.k8s.io/v1
metadata: {name: second}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: list-as-another}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: both}, {apiGroup: rbac.authorization.k8s.io, kind: User, name: second}]
---
kind: ClusterRoleBinding
apiVersion: rbac.authorization.k8s.io/v1
metadata: {name: third}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: unconstrained}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: old}]
`

// TestAnRBACFileConstrainsImpersonation expects what the Kubernetes documentation of constrained
// impersonation says: both permissions are required, for this user and this verb, and the verb
// impersonate suffices as before. A library without it asks for that verb alone.
func TestAnRBACFileConstrainsImpersonation(t *testing.T) {
	roles := rbacfile.New()
	require.NoError(t, roles.Use([]byte(impersonators)))
	constrained := utilfeature.DefaultMutableFeatureGate.GetAll()["ConstrainedImpersonation"].Default
	for _, test := range []struct {
		who, as, group, verb string
		status               int
	}{
		{"both", "carol", "", "list", http.StatusOK},
		{"both", "carol", "", "get", http.StatusForbidden},
		{"both", "carol", "developers", "list", http.StatusForbidden},
		{"both", "dave", "", "list", http.StatusForbidden},
		{"both", "system:node:carol", "", "list", http.StatusForbidden},
		{"first", "carol", "", "list", http.StatusForbidden},
		{"second", "carol", "", "list", http.StatusForbidden},
		{"old", "dave", "", "get", http.StatusOK},
		{"nobody", "carol", "", "list", http.StatusForbidden},
	} {
		if test.status == http.StatusOK && test.who != "old" && !constrained {
			test.status = http.StatusForbidden
		}
		status, became := impersonate(t, roles, test.who, test.as, test.group, test.verb)
		assert.Equal(t, test.status, status, "%+v", test)
		if test.status == http.StatusOK {
			assert.Equal(t, test.as, became)
		}
	}
}

// impersonate returns the status of a request for FlowSchemas through the handler chain, and
// the user whom it reaches the API as.
func impersonate(t *testing.T, roles *rbacfile.Authorizer, who, as, group, verb string) (status int, became string) {
	t.Helper()
	c := genericapiserver.NewConfig(serializer.NewCodecFactory(runtime.NewScheme()))
	c.FeatureGate, c.TracerProvider = utilfeature.DefaultFeatureGate, tracing.NewNoopTracerProvider()
	c.RequestInfoResolver = genericapiserver.NewRequestInfoResolver(c)
	c.Authorization.Authorizer = authorizer.AuthorizerFunc(roles.Authorize)
	c.Authentication.Authenticator = authenticator.RequestFunc(func(*http.Request) (*authenticator.Response, bool, error) {
		return &authenticator.Response{User: &user.DefaultInfo{Name: who, Groups: []string{user.AllAuthenticated}}}, true, nil
	})
	handler := c.BuildHandlerChainFunc(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		reached, _ := request.UserFrom(r.Context())
		became = reached.GetName()
	}), c)
	path := "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"
	if verb == "get" {
		path += "/catch-all"
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Header.Set("Impersonate-User", as)
	if group != "" {
		r.Header.Set("Impersonate-Group", group)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Code, became
}
