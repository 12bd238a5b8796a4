package why

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

func TestATenantIsOfOneFlowSchema(t *testing.T) {
	byUser := &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodByUserType}
	i := &Inquiry{configuration: configuration.Configuration{
		Tenants:     rules.ServiceAccountNamespaces,
		FlowSchemas: []*flowcontrolv1.FlowSchema{schema("a", "low", "g", byUser), schema("b", "low", "g", byUser)},
	}}
	of := func(schema, account string) tenant {
		return i.tenantOf(flowKey{"low", schema, "system:serviceaccount:shop:" + account})
	}
	assert.Equal(t, of("a", "x"), of("a", "y"))
	assert.NotEqual(t, of("a", "x"), of("b", "x"))
}

// Three flows of a tenant and one other ask for all of 60 seat-seconds: the tenant has 30, each of its flows 10.
// By flows, each would have 15.
func TestTheFairShareOfATenantIsDividedAmongItsFlows(t *testing.T) {
	all := amount{math.Inf(1), math.Inf(1)}
	s := &levelState{capacity: 60, demands: map[flowKey]amount{}, tenants: map[flowKey]tenant{}}
	for _, name := range []string{"a", "b", "c", "alice"} {
		key := flowKey{"low", "accounts", name}
		s.keys, s.demands[key] = append(s.keys, key), all
		s.tenants[key] = tenant{schema: "accounts", name: "shop"}
		if name == "alice" {
			s.tenants[key] = tenant{flow: key}
		}
	}
	for name, want := range map[string][2]float64{"a": {10, 30}, "alice": {30, 30}} {
		flow, whole := s.fairShareOf(flowKey{"low", "accounts", name})
		assert.Equal(t, amount{want[0], want[0]}, flow, name)
		assert.Equal(t, amount{want[1], want[1]}, whole, name)
	}
	for _, key := range s.keys {
		s.tenants[key] = tenant{flow: key}
	}
	flow, whole := s.fairShareOf(flowKey{"low", "accounts", "a"})
	assert.Equal(t, amount{15, 15}, flow)
	assert.Equal(t, flow, whole)
}
