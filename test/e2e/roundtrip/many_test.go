package roundtrip

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const workers = 8

func generatedCount() int { return lane.Pick(600, 10_000) }

// trip is a server and its store.
type trip struct {
	client
	etcd   *clientv3.Client
	scheme *runtime.Scheme
}

// TestGeneratedObjectsSurviveBothVersionsAndTheStore writes each object in one
// version and encoding, reads it in the other version, and writes the result. All
// objects must be equal.
func TestGeneratedObjectsSurviveBothVersionsAndTheStore(t *testing.T) {
	seed, count := lane.Seed(t), generatedCount()
	etcd := harness.StartEtcd(t, harness.EtcdOptions{})
	server := harness.StartServer(t, harness.ServerOptions{Etcd: etcd})
	trip := trip{client: newClient(t, "this server", server.Config(t)), etcd: etcd.Client(t), scheme: install.NewScheme()}

	all := builtIn()
	var next, failed atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < count+len(all) && failed.Load() < 5; i = int(next.Add(1)) - 1 {
				var o object
				if i < len(all) {
					o = all[i]
				} else {
					o = generate(seed, i)
				}
				if err := trip.round(t.Context(), o, i); err != nil {
					failed.Add(1)
					t.Errorf("number %d: %v", i, err)
				}
			}
		})
	}
	group.Wait()
	require.Zero(t, failed.Load())
}

// builtIn returns the built-in objects. Later releases of k8s.io than 0.33 have two less.
func builtIn() []object {
	var all []object
	for _, schema := range slices.Concat(bootstrap.MandatoryFlowSchemas, bootstrap.SuggestedFlowSchemas) {
		if binaries.Base() == binaries.FirstBase || schema.Name != "endpoint-controller" && schema.Name != "workload-leader-election" {
			all = append(all, schema)
		}
	}
	for _, level := range slices.Concat(bootstrap.MandatoryPriorityLevelConfigurations, bootstrap.SuggestedPriorityLevelConfigurations) {
		all = append(all, level)
	}
	return all
}

// round runs one round trip of the object. The number determines the encodings.
func (trip trip) round(ctx context.Context, o object, number int) error {
	path, oldPath := resource("v1", o), resource("v1beta3", o)
	there, back := mediaTypes()[number%3], mediaTypes()[number/3%3]
	created, err := trip.write(ctx, o, there)
	if err != nil {
		return err
	}
	if err := same("the answer to the write", trip.defaulted(o), created); err != nil {
		return err
	}
	if err := trip.writeBack(ctx, oldPath+"/"+o.GetName(), back); err != nil {
		return err
	}
	if err := trip.writeBack(ctx, path+"/"+o.GetName(), there); err != nil {
		return err
	}
	stored, err := trip.etcd.Get(ctx, "/registry/flowcontrol.apiserver.k8s.io"+path[strings.LastIndex(path, "/"):]+"/"+o.GetName())
	if err != nil {
		return err
	}
	if len(stored.Kvs) != 1 {
		return fmt.Errorf("%s is not in the store", o.GetName())
	}
	kept, err := decode(stored.Kvs[0].Value)
	if err != nil {
		return err
	}
	if err := same("the store", created, kept); err != nil {
		return err
	}
	if kept.GetGeneration() != created.GetGeneration() {
		return fmt.Errorf("the spec of %s changed on its way: generation %d", o.GetName(), kept.GetGeneration())
	}
	if isBuiltIn(o) {
		return nil
	}
	_, err = trip.must(ctx, http.MethodDelete, path+"/"+o.GetName(), there, nil)
	return err
}

// write creates the object, or replaces it if it is built in.
func (trip trip) write(ctx context.Context, o object, mediaType string) (object, error) {
	method, path := http.MethodPost, resource("v1", o)
	if isBuiltIn(o) {
		method, path = http.MethodPut, path+"/"+o.GetName()
	}
	body, err := encode(o, mediaType)
	if err != nil {
		return nil, err
	}
	answer, err := trip.must(ctx, method, path, mediaType, body)
	if err != nil {
		return nil, err
	}
	return decode(answer)
}

// writeBack reads an object and writes the same bytes. It retries if the status
// was written meanwhile.
func (trip trip) writeBack(ctx context.Context, path, mediaType string) error {
	for range 20 {
		read, err := trip.must(ctx, http.MethodGet, path, mediaType, nil)
		if err != nil {
			return err
		}
		code, answer, err := trip.send(ctx, http.MethodPut, path, mediaType, read)
		if err != nil || code == http.StatusOK {
			return err
		}
		if code != http.StatusConflict {
			return fmt.Errorf("writing %s back answered %d: %s", path, code, answer)
		}
	}
	return errors.New(path + " is written all the time")
}

// defaulted returns the object with its defaults.
func (trip trip) defaulted(o object) object {
	full := o.DeepCopyObject().(object)
	trip.scheme.Default(full)
	return full
}

// same compares the contents of two v1 objects.
func same(what string, want, got object) error {
	if diff := cmp.Diff(contentOf(want), contentOf(got)); diff != "" {
		return fmt.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
	return nil
}

// contentOf returns the fields that only the user writes.
func contentOf(o object) string {
	content := map[string]any{
		"name": o.GetName(), "labels": o.GetLabels(), "annotations": o.GetAnnotations(), "owners": o.GetOwnerReferences(),
	}
	switch o := o.(type) {
	case *flowcontrolv1.FlowSchema:
		content["spec"] = o.Spec
	case *flowcontrolv1.PriorityLevelConfiguration:
		content["spec"] = o.Spec
	}
	text, err := json.MarshalIndent(content, "", " ")
	if err != nil {
		panic(err)
	}
	return string(text)
}
