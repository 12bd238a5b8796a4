package trackrecord

import (
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/options"
)

// A server that may not read the objects becomes ready.
func case123206() Case {
	return Case{
		Repository: kubernetes, Number: 123206, Year: 2024,
		Says:     "An aggregated API server whose service account may not list FlowSchemas never becomes ready.",
		Does:     "A server adopts flow control as its author would, here with `pkg/apf/options`. Each list of FlowSchemas and levels is answered 403. Ten minutes pass.",
		Measures: "Whether the check `informer-sync` of the server passes. If not, it is harm.",
		Setup:    Setup{Total: 10},
		Run: func(s *Site) Outcome {
			client := fake.NewClientset()
			client.PrependReactor("list", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
				resource := schema.GroupResource{Group: a.GetResource().Group, Resource: a.GetResource().Resource}
				return true, nil, apierrors.NewForbidden(resource, "", nil)
			})
			factory := informers.NewSharedInformerFactory(client, time.Hour)
			control := adopt(s, client, factory)
			stop := make(chan struct{})
			s.Go(func() { _ = control.Run(stop) })
			factory.Start(stop)
			s.Wait(10 * time.Minute)
			ready := informersSynced(factory)
			close(stop)
			factory.Shutdown()
			measured := map[bool]string{true: "ready", false: "not ready after 10 minutes"}
			return Outcome{Measured: measured[ready], Harmed: !ready}
		},
	}
}

// adopt returns the flow control of a server on the informers of its configuration.
func adopt(s *Site, client *fake.Clientset, factory informers.SharedInformerFactory) flowcontrol.Interface {
	if s.Peer {
		return flowcontrol.New(factory, client.FlowcontrolV1(), s.setup.Total)
	}
	config := genericapiserver.NewConfig(scheme.Codecs)
	o := options.NewOptions()
	o.FollowCluster, o.Client, o.Seats = true, client, s.setup.Total
	require.NoError(s.T, o.ApplyTo(config))
	return config.FlowControl
}

// informersSynced reports what the check informer-sync of a server of k8s.io/apiserver does.
func informersSynced(factory informers.SharedInformerFactory) bool {
	closed := make(chan struct{})
	close(closed)
	for _, synced := range factory.WaitForCacheSync(closed) {
		if !synced {
			return false
		}
	}
	return true
}
