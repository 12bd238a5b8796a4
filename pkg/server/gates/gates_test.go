package gates

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/component-base/featuregate"
)

func TestAFeatureWithoutAGateIsOn(t *testing.T) {
	gates := featuregate.NewFeatureGate()
	require.NoError(t, gates.Add(map[featuregate.Feature]featuregate.FeatureSpec{APIServerTracing: {Default: true}}))
	assert.True(t, Enabled(gates, APIServerTracing))
	assert.True(t, Enabled(gates, "AFeatureThatIsAlwaysOn"))
	require.NoError(t, gates.SetFromMap(map[string]bool{string(APIServerTracing): false}))
	assert.False(t, Enabled(gates, APIServerTracing))
}
