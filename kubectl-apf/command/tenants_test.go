package command

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

func TestTenantsAreRejectedUnlessTheyAreKnown(t *testing.T) {
	t.Chdir(t.TempDir())
	writeTrace(t, "trace.jsonl")
	const known = "--flow-control-tenants=users must be one of none, service-account-namespaces"
	for says, args := range map[string][][]string{
		known: {
			{"simulate", "--trace=trace.jsonl", "--engine=apf", "--flow-control-tenants=users"},
			{"explain", "get", "pods", "--as=bob", "--offline", "--flow-control-tenants=users"},
			{"why", "--user=bob", "--offline", "--flow-control-tenants=users"},
		},
		"requires --engine=apf": {{"simulate", "--trace=trace.jsonl", "--flow-control-tenants=service-account-namespaces"}},
	} {
		for _, words := range args {
			got := run(t, words...)
			assert.NotZero(t, got.status, words)
			assert.Contains(t, got.errOut, says, words)
		}
	}
}

func TestTheFlagOrTheServersSayWhatIsATenant(t *testing.T) {
	shows := []replica.Replica{{}, {Flows: []replica.Flow{{Tenant: "shop"}}}}
	assert.Equal(t, rules.ServiceAccountNamespaces, tenantsOf("", shows))
	assert.Equal(t, rules.ServiceAccountNamespaces, tenantsOf("", []replica.Replica{{Requests: []replica.Request{{Tenant: "shop"}}}}))
	assert.Equal(t, rules.NoTenants, tenantsOf(rules.NoTenants, shows))
	assert.Equal(t, rules.NoTenants, tenantsOf("", shows[:1]))
}

func TestExplainNamesTheTenant(t *testing.T) {
	got := run(t, "explain", "get", "pods", "web", "-n", "ci", "--as=system:serviceaccount:ci:runner", "--offline", "--flow-control-tenants=service-account-namespaces")
	assert.Zero(t, got.status, got.errOut)
	assert.Regexp(t, `Tenant: +the service accounts of namespace ci in flow schema service-accounts`, got.out)
}
