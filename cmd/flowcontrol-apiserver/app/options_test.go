package app

import (
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// parseFlags returns the options of a command line.
func parseFlags(t *testing.T, args ...string) *Options {
	t.Helper()
	options := NewOptions()
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	for _, set := range options.Flags().FlagSets {
		flags.AddFlagSet(set)
	}
	require.NoError(t, flags.Parse(args))
	return options
}

func TestServerWithoutFlagsIsAloneOnThisMachine(t *testing.T) {
	options := parseFlags(t)
	require.Equal(t, ".flowcontrol-apiserver", options.DataDir)
	require.Equal(t, "127.0.0.1", options.SecureServing.BindAddress.String())
	require.Equal(t, 6443, options.SecureServing.BindPort)
	require.Empty(t, options.Complete().Validate())
}

func TestWatchesMayAskForInitialEvents(t *testing.T) {
	NewOptions()
	require.True(t, utilfeature.DefaultFeatureGate.Enabled(features.WatchList))
}

func TestStopEndsWatchesSoonerThanAPodIsKilled(t *testing.T) {
	grace := parseFlags(t).Run.ShutdownWatchTerminationGracePeriod
	require.Positive(t, grace)
	require.Less(t, grace, 30*time.Second)
}
