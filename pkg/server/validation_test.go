package server

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Who mends one option after the other sees the others in the same order again.
func TestErrorsOfOptionsHaveAnOrder(t *testing.T) {
	messages := func() (all []string) {
		config := NewConfig()
		transport := &config.Etcd.StorageConfig.Transport
		transport.TrustedCAFile, transport.CertFile, transport.KeyFile = "ca", "cert", "key"
		config.Run.EmulationForwardCompatible, config.Run.RuntimeConfigEmulationForwardCompatible = true, true
		config.AuditFlowControl = "some"
		for _, err := range config.Complete().Validate() {
			all = append(all, err.Error())
		}
		return all
	}
	first := messages()
	require.GreaterOrEqual(t, len(first), 6)
	assert.IsIncreasing(t, first)
	for range 20 {
		require.Equal(t, first, messages())
	}
}
