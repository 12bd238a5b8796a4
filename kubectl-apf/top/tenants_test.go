package top

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// Two service accounts of one namespace used 3 and 3 of 8 seat-seconds.
func TestFlowsNameTheirTenantAndItsShare(t *testing.T) {
	flow := func(name, tenant string, used float64) replica.Flow {
		return replica.Flow{Level: "low", FlowSchema: "accounts", Distinguisher: name, Tenant: tenant, SeatSeconds1m: used}
	}
	flows, err := OfFlows([]replica.Replica{{Name: "a", Read: now, Taken: now, Flows: []replica.Flow{flow("a", "shop", 3), flow("b", "shop", 3), flow("alice", "", 2)}}}, Options{Sort: "name"})
	require.NoError(t, err)
	require.Len(t, flows.Flows, 3)
	for i, share := range []*float64{new(0.75), nil, new(0.75)} {
		assert.Equal(t, share, flows.Flows[i].TenantShare, flows.Flows[i].Distinguisher)
	}
	assert.Empty(t, flows.Total.Tenant)
	var text bytes.Buffer
	require.NoError(t, flows.WriteTable(&text, table.Options{}))
	assert.Regexp(t, `TENANT +TENANT SHARE\n`, text.String())
	assert.Regexp(t, `accounts +b .* shop +75%\n`, text.String())
}

func TestFlowsHaveNoColumnForTenantsWithoutThem(t *testing.T) {
	flows, err := OfFlows([]replica.Replica{dumped("a")}, Options{})
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, flows.WriteTable(&text, table.Options{}))
	assert.NotContains(t, text.String(), "TENANT")
}
