package options

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
)

// In Kubernetes workload-low lends 90 % of its seats, so that an idle one would have 3 of 16.
func TestIdleWorkloadsKeepHalfOfTheirSeats(t *testing.T) {
	f, err := apf.New(apf.Config{Total: 16})
	require.NoError(t, err)
	require.Empty(t, f.Apply(BuiltIn()))
	f.Engine().Rebalance()
	for _, level := range f.Engine().Levels() {
		if level.Config.Name == "workload-low" {
			assert.Equal(t, 9, level.Limits.Nominal, "ceil(16 * 100 / 195)")
			assert.Equal(t, 4, level.Limits.Lower, "9 - round(9 / 2)")
			assert.GreaterOrEqual(t, level.Seats.Current, 5)
			return
		}
	}
	t.Fatal("there is no workload-low")
}
