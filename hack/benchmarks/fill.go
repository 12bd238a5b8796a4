package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// storePrefix begins the keys of both servers' objects.
	storePrefix = "/registry"
	// puts is how many objects are on their way into an etcd at once.
	puts = 64
	// exampleGrace is how long kube-apiserver may take to write an object's status.
	exampleGrace = time.Minute
)

// fill writes as many FlowSchemas into both etcds, the same into each: copies of
// one that kube-apiserver has written, with the status that either server would
// give it, for a user of its own and at precedences all over.
func fill(o *harness.Owner, etcds [2]*harness.Etcd, count int) {
	var example *flowcontrolv1.FlowSchema
	o.Within(func(o *harness.Owner) {
		client := startTheirs(o, etcds[1]).clients(o, 1)[0]
		o.Check(client.do(o.Context(), http.MethodPost, collection, flowSchema(filledName(0), "held", 9000)))
		example = readExample(o, etcds[1].Client(o))
	})
	for _, etcd := range etcds {
		o.Within(func(o *harness.Owner) {
			o.Check(put(o.Context(), etcd.Client(o), example, count))
		})
	}
}

// readExample returns the stored object once it has its status.
func readExample(o *harness.Owner, store *clientv3.Client) *flowcontrolv1.FlowSchema {
	var example *flowcontrolv1.FlowSchema
	last := errors.New("not looked at yet")
	err := wait.PollUntilContextTimeout(o.Context(), 10*time.Millisecond, exampleGrace, true, func(ctx context.Context) (bool, error) {
		example, last = stored(ctx, store, filledName(0))
		return last == nil, nil
	})
	if err != nil {
		o.Fatalf("waiting for kube-apiserver to write a FlowSchema and its status: %v; at last: %v", err, last)
	}
	return example
}

func stored(ctx context.Context, store *clientv3.Client, name string) (*flowcontrolv1.FlowSchema, error) {
	answer, err := store.Get(ctx, schemaKey(name))
	if err != nil {
		return nil, err
	}
	if len(answer.Kvs) == 0 {
		return nil, fmt.Errorf("there is no %s in etcd", schemaKey(name))
	}
	object, err := runtime.Decode(scheme.Codecs.UniversalDeserializer(), answer.Kvs[0].Value)
	if err != nil {
		return nil, err
	}
	schema, ok := object.(*flowcontrolv1.FlowSchema)
	if !ok || len(schema.Status.Conditions) == 0 {
		return nil, fmt.Errorf("%s is a %T without a status", schemaKey(name), object)
	}
	return schema, nil
}

// put writes copies of the example.
func put(ctx context.Context, store *clientv3.Client, example *flowcontrolv1.FlowSchema, count int) error {
	info, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	if !ok {
		return errors.New("there is no serializer for protobuf")
	}
	encoder := scheme.Codecs.EncoderForVersion(info.Serializer, flowcontrolv1.SchemeGroupVersion)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(puts)
	for n := range count {
		group.Go(func() error {
			schema := example.DeepCopy()
			schema.Name = filledName(n)
			schema.Spec.MatchingPrecedence = int32(1000 + n%8000)
			schema.Spec.Rules[0].Subjects[0].User.Name = fmt.Sprintf("bench:nobody-%d", n)
			schema.UID = types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", n))
			var content bytes.Buffer
			if err := encoder.Encode(schema, &content); err != nil {
				return err
			}
			_, err := store.Put(ctx, schemaKey(schema.Name), content.String())
			return err
		})
	}
	return group.Wait()
}

// filledName names one of the many; the first is the example.
func filledName(n int) string { return fmt.Sprintf("bench-filled-%06d", n) }

func schemaKey(name string) string { return storePrefix + "/flowschemas/" + name }
