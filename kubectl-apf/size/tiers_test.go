package size_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/size"
)

func TestTiersOfAFile(t *testing.T) {
	const head = "apiVersion: tiers.flowcontrol-apiserver.io/v1alpha1\nkind: Tiers\n"
	for _, test := range []struct{ name, text, says string }{
		{"tiers", head + "tiers:\n- {name: small, seats: 100, perServer: true, source: our contract}\n- {name: large, seats: 200}\n", ""},
		{"no YAML", "tiers: [", "tiers.yaml: it is no YAML: "},
		{"a field that is none", head + "tiers:\n- {name: small, seat: 100}\n", `unknown field "tiers[0].seat"`},
		{"a field that is there twice", head + "kind: Tiers\n", `key "kind" already set in map`},
		{"another kind", "kind: Scenario\n", `tiers.yaml: has the apiVersion "" and the kind "Scenario": must be "tiers.flowcontrol-apiserver.io/v1alpha1" and "Tiers"`},
		{"no tiers", head, "tiers.yaml: has no tiers"},
		{"no name", head + "tiers: [{seats: 1}]\n", "tiers[0] has no name"},
		{"a name twice", head + "tiers: [{name: a, seats: 1}, {name: a, seats: 2}]\n", `tiers[1] has the name "a", which another tier has`},
		{"no seats", head + "tiers: [{name: a}]\n", `tiers[0] "a" has 0 seats: must be more than 0`},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tiers.yaml")
			require.NoError(t, os.WriteFile(path, []byte(test.text), 0o600))
			tiers, err := size.ReadTiers(path)
			if test.says != "" {
				assert.ErrorContains(t, err, test.says)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, []size.Tier{{Name: "small", Seats: 100, PerServer: true, Source: "our contract"}, {Name: "large", Seats: 200}}, tiers)
		})
	}
	_, err := size.ReadTiers(filepath.Join(t.TempDir(), "gone.yaml"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// The seats of EKS are in its user guide.
func TestBuiltInTiers(t *testing.T) {
	seats := map[string]int{}
	for _, tier := range size.BuiltInTiers() {
		seats[tier.Name] = tier.Seats
		assert.NotEmpty(t, tier.Source)
	}
	assert.Equal(t, map[string]int{"kube-apiserver": 600, "eks-xl": 1700, "eks-2xl": 3400, "eks-4xl": 6800}, seats)
	_, err := size.FindTier(size.BuiltInTiers(), "eks-8xl")
	assert.EqualError(t, err, `the tier "eks-8xl" is unknown: must be one of kube-apiserver, eks-xl, eks-2xl, eks-4xl`)
}
