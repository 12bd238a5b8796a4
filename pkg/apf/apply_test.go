package apf_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
)

func TestObjectsFromElsewhereThanAnAPIAreApplied(t *testing.T) {
	s := newServer(t, apf.Config{Total: 10})
	<-s.Applied()
	level, schema := levelWithoutQueues("somebody", 10), schemaOf("somebody", "somebody")
	s.apply(t, levelObjects{level}, schema)
	assert.Equal(t, "somebody", s.handle(t.Context(), digestOf("somebody"), func() {}).level)

	invalid := level.DeepCopy()
	invalid.Spec.Limited.LendablePercent = new(int32(101))
	problems := s.Apply(levelObjects{invalid}, []*flowcontrolv1.FlowSchema{schema})
	require.Len(t, problems, 1)
	require.ErrorContains(t, problems[0].Err, "must be between 0 and 100")
	assert.Equal(t, "catch-all", s.handle(t.Context(), digestOf("somebody"), func() {}).level, "it is ignored")

	s.apply(t, nil)
	assert.Equal(t, "catch-all", s.handle(t.Context(), digestOf("somebody"), func() {}).level)
}

func TestOneInformerIsRejected(t *testing.T) {
	client := fake.NewClientset()
	config := apf.ConfigFor(informers.NewSharedInformerFactory(client, 0), client.FlowcontrolV1(), 10)
	config.Levels = nil
	_, err := apf.New(config)
	require.ErrorContains(t, err, "only one of the informers")
}
