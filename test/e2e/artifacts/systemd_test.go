package artifacts

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-systemd/v22/unit"
	"github.com/stretchr/testify/require"
)

// TestSystemdUnitRunsTheServer reads the unit as systemd does. Package e2e tests that the
// server notifies systemd.
func TestSystemdUnitRunsTheServer(t *testing.T) {
	file, err := os.Open(folder(t, "systemd/flowcontrol-apiserver.service"))
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	options, err := unit.DeserializeOptions(file)
	require.NoError(t, err)
	service := make(map[string]string)
	for _, option := range options {
		if option.Section == "Service" {
			require.NotContains(t, service, option.Name, "given twice")
			service[option.Name] = option.Value
		}
	}
	require.Equal(t, "notify", service["Type"])

	words := strings.Fields(strings.NewReplacer("%S", "/var/lib", "$ARGS", "--secure-port=7443").Replace(service["ExecStart"]))
	require.Equal(t, "/usr/local/bin/flowcontrol-apiserver", words[0])
	server := parse(t, words[1:])
	require.Equal(t, "/var/lib/"+service["StateDirectory"], server.DataDir, "which alone it may write")

	stop, err := time.ParseDuration(service["TimeoutStopSec"] + "s")
	require.NoError(t, err)
	require.Greater(t, stop, server.Run.ShutdownDelayDuration+server.Run.RequestTimeout+server.Run.ShutdownWatchTerminationGracePeriod+10*time.Second)
	for name, value := range map[string]string{
		"DynamicUser": "yes", "StateDirectoryMode": "0700", "ProtectSystem": "strict", "NoNewPrivileges": "yes",
		"CapabilityBoundingSet": "", "SystemCallFilter": "@system-service", "MemoryDenyWriteExecute": "yes",
	} {
		require.Contains(t, service, name)
		require.Equal(t, value, service[name], name)
	}
}
