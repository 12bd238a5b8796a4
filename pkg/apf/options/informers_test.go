package options

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
)

// A server that stores the objects follows its own informers, and is governed by nothing else.
func TestInformersOfTheServerAreASource(t *testing.T) {
	level := &flowcontrolv1.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "own"},
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: new(int32(1)), LimitResponse: flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
			},
		},
	}
	factory := informers.NewSharedInformerFactory(fake.NewClientset(level), 0)
	v1 := factory.Flowcontrol().V1()
	o := NewOptions()
	o.Informers = &Informers{Levels: v1.PriorityLevelConfigurations().Informer(), Schemas: v1.FlowSchemas().Informer()}
	assert.Zero(t, o.config().Period, "the engine's default, as in kube-apiserver")
	assert.Equal(t, period, NewOptions().config().Period)
	s, f := server(t, o, http.NotFoundHandler())
	stop, stopped := make(chan struct{}), make(chan error)
	go func() { stopped <- f.Run(stop) }()
	factory.Start(stop)
	<-f.Applied()
	var names []string
	for _, level := range f.Engine().Levels() {
		names = append(names, level.Config.Name)
	}
	assert.ElementsMatch(t, []string{"own", "exempt", "catch-all"}, names)
	assert.Equal(t, Status{}, f.Status())
	assert.NotContains(t, get(t, s.Handler, "/metrics"), "apf_configuration_source")
	close(stop)
	require.NoError(t, <-stopped)
	factory.Shutdown()

	o.FollowCluster = true
	require.Len(t, o.Validate(), 1, "they are the only source")
}
