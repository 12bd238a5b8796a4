package classify

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

func TestSchemasAreInMatchingOrder(t *testing.T) {
	c := New([]rules.Schema{
		{Name: "catch-all", Precedence: 7},
		{Name: "b", Precedence: 10},
		{Name: "last", Precedence: 10000},
		{Name: "a", Precedence: 10},
		{Name: "first", Precedence: 1},
		{Name: "exempt", Precedence: 9000},
	})
	var names []string
	for _, s := range c.Schemas() {
		names = append(names, s.Name)
	}
	assert.Equal(t, []string{"exempt", "first", "a", "b", "last", "catch-all"}, names)
}

func TestDistinguisherOf(t *testing.T) {
	a := &flow.Attributes{User: "alice", Namespace: "ns"}
	for name, c := range map[string]struct {
		by   rules.Distinguisher
		want string
	}{
		"nothing tells the flows apart": {rules.ByNothing, ""},
		"each user is a flow":           {rules.ByUser, "alice"},
		"each namespace is a flow":      {rules.ByNamespace, "ns"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, (&rules.Schema{Distinguisher: c.by}).DistinguisherOf(a))
		})
	}
}
