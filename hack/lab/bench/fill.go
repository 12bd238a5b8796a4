package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// storePrefix is the etcd key prefix of both servers.
	storePrefix = "/registry"
	// puts is the number of concurrent writes to an etcd.
	puts = 64
)

// fill writes the same count of FlowSchemas into both etcds. They are copies of
// one that kube-apiserver wrote, with the status that either server would set.
// Each names a user that sends no request, and the precedences are spread.
func fill(o *harness.Owner, etcds [2]*harness.Etcd, count int) {
	var example *flowcontrolv1.FlowSchema
	o.Within(func(o *harness.Owner) {
		client := startTheirs(o, etcds[1]).clients(o, 1)[0]
		o.Check(client.do(o.Context(), http.MethodPost, collection, flowSchema(filledName(0), "bench", "held", 9000)))
		example = readExample(o, etcds[1].Client(o))
	})
	for _, etcd := range etcds {
		o.Within(func(o *harness.Owner) {
			o.Check(put(o.Context(), etcd.Client(o), example, count))
		})
	}
}

// readExample returns the stored object once it has its status.
func readExample(o *harness.Owner, store *clientv3.Client) (example *flowcontrolv1.FlowSchema) {
	eventually.Holds(o, "kube-apiserver has written a FlowSchema and its status", func(a *eventually.Attempt) {
		answer, err := store.Get(a.Context(), storePrefix+"/flowschemas/"+filledName(0))
		require.NoError(a, err)
		require.Len(a, answer.Kvs, 1, "in etcd")
		object, err := runtime.Decode(scheme.Codecs.UniversalDeserializer(), answer.Kvs[0].Value)
		require.NoError(a, err)
		require.IsType(a, example, object)
		require.NotEmpty(a, object.(*flowcontrolv1.FlowSchema).Status.Conditions)
		example = object.(*flowcontrolv1.FlowSchema)
	})
	return example
}

// put writes copies of the example.
func put(ctx context.Context, store *clientv3.Client, example *flowcontrolv1.FlowSchema, count int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(puts)
	for n := range count {
		group.Go(func() error {
			schema := example.DeepCopy()
			schema.Name = filledName(n)
			schema.Spec.MatchingPrecedence = int32(1000 + n%8000)
			schema.Spec.Rules[0].Subjects[0].User.Name = fmt.Sprintf("bench:nobody-%d", n)
			schema.UID = types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", n))
			return traffic.Store(ctx, store, storePrefix, schema)
		})
	}
	return group.Wait()
}

// filledName returns the name of the nth copy. The copy 0 is the example.
func filledName(n int) string { return fmt.Sprintf("bench-filled-%06d", n) }
