package server

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	genericapiserver "k8s.io/apiserver/pkg/server"
	restclient "k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/total"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/store"
)

// Until the stored configuration is read, catch-all has all seats.
func TestSeatsAreThoseOfBothKindsOfRequests(t *testing.T) {
	s := withFlowControl(t, NewConfig())
	sum := 0
	for _, level := range s.flowControl.Engine().Report().Levels {
		sum += level.Limits.Nominal
	}
	require.Equal(t, 30, sum)
}

// withFlowControl returns a server of 30 seats that has its engine.
func withFlowControl(t *testing.T, config *Config) *Server {
	t.Helper()
	generic := genericapiserver.NewConfig(serializer.NewCodecFactory(runtime.NewScheme()))
	generic.LoopbackClientConfig = &restclient.Config{Host: "127.0.0.1:1"}
	generic.MaxRequestsInFlight, generic.MaxMutatingRequestsInFlight = 20, 10
	s := &Server{config: config.Complete(), generic: generic, store: store.New(nil, nil, "")}
	require.NoError(t, s.applyInformers(t.Context()))
	require.NoError(t, s.applyFlowControl(t.Context()))
	return s
}

func TestTotalIsMonitoredUnlessConfiguredOtherwise(t *testing.T) {
	status := withFlowControl(t, NewConfig()).flowControl.TotalStatus()
	require.True(t, status.Active)
	require.Equal(t, 30, status.InEffect)
	require.Equal(t, 30, status.Recommendation.Total)
	config := NewConfig()
	config.TotalControl.Mode = total.Static
	require.Equal(t, total.Status{InEffect: 30}, withFlowControl(t, config).flowControl.TotalStatus())
}
