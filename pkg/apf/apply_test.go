package apf_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
)

func TestApplyReturnsTheInvalidObjects(t *testing.T) {
	invalid := levelWithoutQueues("somebody", 10)
	invalid.Spec.Limited.LendablePercent = new(int32(101))
	problems := newServer(t, apf.Config{Total: 10}).Apply(levelObjects{invalid}, nil)
	require.Len(t, problems, 1)
	require.ErrorContains(t, problems[0].Err, "must be between 0 and 100")
}

func TestOneInformerIsRejected(t *testing.T) {
	client := fake.NewClientset()
	config := apf.ConfigFor(informers.NewSharedInformerFactory(client, 0), client.FlowcontrolV1(), 10)
	config.Levels = nil
	_, err := apf.New(config)
	require.ErrorContains(t, err, "only one of the informers")
}
