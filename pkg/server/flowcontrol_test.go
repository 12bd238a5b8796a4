package server

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	genericapiserver "k8s.io/apiserver/pkg/server"
	restclient "k8s.io/client-go/rest"
)

// Until the stored configuration is read, catch-all has all seats.
func TestSeatsAreThoseOfBothKindsOfRequests(t *testing.T) {
	generic := genericapiserver.NewConfig(serializer.NewCodecFactory(runtime.NewScheme()))
	generic.LoopbackClientConfig = &restclient.Config{Host: "127.0.0.1:1"}
	generic.MaxRequestsInFlight, generic.MaxMutatingRequestsInFlight = 20, 10
	s := &Server{config: NewConfig().Complete(), generic: generic}
	require.NoError(t, s.applyFlowControl(t.Context()))
	total := 0
	for _, level := range s.flowControl.Engine().Report().Levels {
		total += level.Limits.Nominal
	}
	require.Equal(t, 30, total)
}
