package options

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

func TestTheServerHasTheTenantsOfTheOption(t *testing.T) {
	for tenants, want := range map[rules.Tenants]string{rules.ServiceAccountNamespaces: "shop", rules.NoTenants: ""} {
		o := NewOptions()
		o.Tenants = tenants
		s, _ := server(t, o, http.NotFoundHandler())
		r := httptest.NewRequest(http.MethodGet, "/work", nil)
		r.Header.Set(userHeader, "system:serviceaccount:shop:scaler")
		s.Handler.ServeHTTP(httptest.NewRecorder(), r)
		assert.Regexp(t, `system:serviceaccount:shop:scaler, .*, *`+want+`\n`, get(t, s.Handler, "/debug/api_priority_and_fairness/top_flows"), tenants)
	}
}
