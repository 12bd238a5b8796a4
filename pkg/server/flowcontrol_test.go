package server

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	genericapiserver "k8s.io/apiserver/pkg/server"
	restclient "k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/total"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/store"
)

// withFlowControl returns the engine of a server of 30 seats.
func withFlowControl(t *testing.T, config *Config) *flowControl {
	t.Helper()
	config.Run.MaxRequestsInFlight, config.Run.MaxMutatingRequestsInFlight = 20, 10
	generic := genericapiserver.NewConfig(serializer.NewCodecFactory(runtime.NewScheme()))
	generic.LoopbackClientConfig = &restclient.Config{Host: "127.0.0.1:1"}
	own, err := newOwnObjects(generic)
	require.NoError(t, err)
	f, err := newFlowControl(config.Complete(), generic, own, store.New(nil, nil, "").Reads())
	require.NoError(t, err)
	return f
}

func TestTotalIsMonitoredUnlessConfiguredOtherwise(t *testing.T) {
	f := withFlowControl(t, NewConfig())
	sum := 0
	for _, level := range f.Engine().Report().Levels { // catch-all has all seats until the stored configuration is read
		sum += level.Limits.Nominal
	}
	require.Equal(t, 30, sum, "of both kinds of requests")
	status := f.TotalStatus()
	require.True(t, status.Active)
	require.Equal(t, 30, status.InEffect)
	require.Equal(t, 30, status.Recommendation.Total)
	config := NewConfig()
	config.TotalControl.Mode = total.Static
	require.Equal(t, total.Status{InEffect: 30}, withFlowControl(t, config).TotalStatus())
}

func TestRejectionsAreCountedByLevel(t *testing.T) {
	one, other, idle := engine.SeriesReport{Level: "busy"}, engine.SeriesReport{Level: "busy"}, engine.SeriesReport{Level: "idle"}
	one.Rejected[queueset.QueueFull], one.Rejected[queueset.TimeOut] = 1, 2
	other.Rejected[queueset.ConcurrencyLimit] = 4
	idle.Rejected[queueset.Cancelled] = 8 // its client left
	require.Equal(t, map[string]uint64{"busy": 7, "idle": 0}, rejectedByLevel([]engine.SeriesReport{one, other, idle}))
}
