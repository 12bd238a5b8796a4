package configuration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
)

func schemaNames(t *testing.T, release configuration.Release) []string {
	t.Helper()
	c, err := configuration.BuiltIn(release)
	require.NoError(t, err)
	assert.Equal(t, release, c.Release)
	assert.Len(t, c.PriorityLevels, 8)
	var names []string
	for _, schema := range c.FlowSchemas {
		names = append(names, schema.Name)
	}
	return names
}

func TestBuiltInObjectsOfEachRelease(t *testing.T) {
	upTo133 := []string{
		"exempt", "catch-all", "system-nodes", "system-node-high", "probes", "system-leader-election",
		"kube-controller-manager", "kube-scheduler", "kube-system-service-accounts", "service-accounts", "global-default",
		"workload-leader-election", "endpoint-controller",
	}
	from134 := []string{
		"exempt", "catch-all", "system-nodes", "system-node-high", "probes", "system-leader-election",
		"kube-controller-manager", "kube-scheduler", "kube-system-service-accounts", "service-accounts", "global-default",
	}
	for _, release := range configuration.Releases() {
		want := upTo133
		if !release.OlderThan("1.34") {
			want = from134
		}
		assert.Equal(t, want, schemaNames(t, release), release)
	}
}

func TestUnknownReleaseListsTheKnownOnes(t *testing.T) {
	for _, release := range []configuration.Release{"", "1.28", "1.38", "latest", "1.033"} {
		_, err := configuration.BuiltIn(release)
		require.ErrorContains(t, err, `the release "`+string(release)+`" is unknown`)
		assert.ErrorContains(t, err, "must be from 1.29 to 1.37")
	}
}

func TestBuiltInObjectsAreCopies(t *testing.T) {
	first, err := configuration.BuiltIn("1.33")
	require.NoError(t, err)
	first.FlowSchemas[0].Spec.MatchingPrecedence = 9999
	first.PriorityLevels[0].Spec.Limited.LimitResponse.Type = "Changed"
	second, err := configuration.BuiltIn("1.33")
	require.NoError(t, err)
	assert.EqualValues(t, 1, second.FlowSchemas[0].Spec.MatchingPrecedence)
	assert.EqualValues(t, "Reject", second.PriorityLevels[0].Spec.Limited.LimitResponse.Type)
}
