package configuration_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/e2e/objects"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// level returns a level of these shares; nil leaves the default, 30.
func level(name string, shares *int32) *flowcontrolv1.PriorityLevelConfiguration {
	l := objects.Queuing(name, 0, 16, 4, 2)
	l.Spec.Limited.NominalConcurrencyShares = shares
	return l
}

func TestAppliedObjectsReplaceThoseOfTheirName(t *testing.T) {
	below := configuration.Configuration{FlowSchemas: []*flowcontrolv1.FlowSchema{objects.Schema("a", "old", 0), objects.Schema("b", "old", 0)}, Notes: []string{"Read."}}
	got := below.Overlay([]*flowcontrolv1.FlowSchema{objects.Schema("c", "new", 0), objects.Schema("a", "new", 0), objects.Schema("c", "last", 0)}, []*flowcontrolv1.PriorityLevelConfiguration{level("x", nil)})
	assert.Equal(t, configuration.Configuration{
		FlowSchemas:    []*flowcontrolv1.FlowSchema{objects.Schema("a", "new", 0), objects.Schema("b", "old", 0), objects.Schema("c", "last", 0)},
		PriorityLevels: []*flowcontrolv1.PriorityLevelConfiguration{level("x", nil)}, Notes: []string{"Read."},
	}, got)
	assert.Equal(t, "old", below.FlowSchemas[0].Spec.PriorityLevelConfiguration.Name, "the given one stays as it is")
}

// The mandatory levels are exempt, without shares, and catch-all, with 5.
func TestSharesAndLimits(t *testing.T) {
	c := configuration.Configuration{PriorityLevels: []*flowcontrolv1.PriorityLevelConfiguration{level("few", new(int32(15))), level("default", nil)}, Total: 100}.WithMandatory()
	assert.EqualValues(t, 50, configuration.SumOfShares(c.PriorityLevels))
	assert.Equal(t, map[string]int{"exempt": 0, "catch-all": 10, "few": 30, "default": 60}, c.NominalLimits())
	changed := c.Changed(func(levels configuration.Settings) { levels["few"].NominalConcurrencyShares = new(int32(65)) })
	for name, want := range map[string][2]int32{"few": {15, 65}, "default": {30, 30}, "catch-all": {5, 5}, "exempt": {}, "absent": {}} {
		assert.Equal(t, want, [2]int32{c.Settings().Shares(name), changed.Settings().Shares(name)}, name)
	}

	f := c.InForce(time.Time{})
	assert.Empty(t, f.Notes)
	hand := f.Hand("few", flow.HashOf("s", "d"), false)
	assert.Len(t, hand, 4)
	assert.Equal(t, hand[:1], f.Hand("few", flow.HashOf("s", "d"), true))
	assert.Equal(t, []int{}, f.Hand("catch-all", flow.HashOf("s", "d"), false), "it has no queues")
	assert.Equal(t, "catch-all", f.Classify(&flow.Attributes{User: "alice", Groups: []string{"system:authenticated"}, Verb: "get", Path: "/x"}).Name)
}
