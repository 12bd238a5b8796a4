package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/informers/externalversions"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
	registry "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/bootstrap"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

// failingEtcd is an etcd that answers each transaction with an error, and reads never.
type failingEtcd struct {
	pb.UnimplementedKVServer
	err error
}

func (f *failingEtcd) Txn(context.Context, *pb.TxnRequest) (*pb.TxnResponse, error) {
	return nil, f.err
}

func (f *failingEtcd) Range(ctx context.Context, _ *pb.RangeRequest) (*pb.RangeResponse, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// storageOptions are the options of a store at an endpoint.
type storageOptions struct {
	codecs   serializer.CodecFactory
	endpoint string
}

func (o storageOptions) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (generic.RESTOptions, error) {
	config := storagebackend.NewDefaultConfig("/registry", o.codecs.LegacyCodec(flowcontrolv1.SchemeGroupVersion))
	config.Transport.ServerList = []string{o.endpoint}
	config.CompactionInterval = 0
	return generic.RESTOptions{
		StorageConfig: config.ForResource(resource), ResourcePrefix: resource.Resource,
	}, nil
}

// startFailingEtcd returns the storage of priority levels in an etcd that returns the error,
// without a cache.
func startFailingEtcd(t *testing.T, err error) rest.StandardStorage {
	t.Helper()
	listener := ports.Listen(t)
	server := grpc.NewServer()
	pb.RegisterKVServer(server, &failingEtcd{err: err})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	scheme := install.NewScheme()
	codecs := serializer.NewCodecFactory(scheme)
	group, err := registry.Provider{
		Scheme: scheme, Codecs: codecs,
		Options:   New(storageOptions{codecs, "http://" + listener.Addr().String()}, &genericoptions.EtcdOptions{}, ExternalRemedy),
		Enabled:   registry.DefaultResourceConfig(),
		Informers: externalversions.NewSharedInformerFactory(nil, 0).Flowcontrol().V1(),
		Clock:     clock.RealClock{}, Advisor: lint.NewAdvisor(bootstrap.Defaults(), 100, clock.RealClock{}), GarbageCollection: rest.DeleteDependents,
	}.APIGroupInfo()
	require.NoError(t, err)
	storages := group.VersionedResourcesStorageMap["v1"]
	t.Cleanup(storages["flowschemas"].Destroy)
	levels := storages["prioritylevelconfigurations"].(rest.StandardStorage)
	t.Cleanup(levels.Destroy)
	return levels
}

func TestWritesAndReadsOfAnEtcdThatIsNotAvailable(t *testing.T) {
	level := &flowcontrol.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "level"},
		Spec: flowcontrol.PriorityLevelConfigurationSpec{Type: flowcontrol.PriorityLevelEnablementLimited, Limited: &flowcontrol.LimitedPriorityLevelConfiguration{
			NominalConcurrencyShares: new(int32(1)), LendablePercent: new(int32(0)), LimitResponse: flowcontrol.LimitResponse{Type: flowcontrol.LimitResponseTypeReject},
		}},
	}
	for _, test := range []struct {
		name string
		err  error
		code int32
	}{
		{"the leader changes before the write is proposed", rpctypes.ErrGRPCLeaderChanged, 503},
		{"a member does not learn what became of the write", rpctypes.ErrGRPCTimeoutDueToLeaderFail, 504},
		{"an error of another kind", rpctypes.ErrGRPCCorrupt, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			levels := startFailingEtcd(t, test.err)
			whole := apirequest.WithNamespace(t.Context(), metav1.NamespaceNone)
			_, err := levels.Create(whole, level.DeepCopy(), nil, &metav1.CreateOptions{})
			require.Error(t, err)
			answer, ok := errors.AsType[*apierrors.StatusError](err)
			require.Equal(t, test.code != 0, ok, err)
			if ok {
				require.Equal(t, test.code, answer.Status().Code)
			}

			ctx, cancel := context.WithTimeout(whole, 10*time.Millisecond)
			defer cancel()
			_, err = levels.Get(ctx, "level", &metav1.GetOptions{})
			require.True(t, apierrors.IsTimeout(err), err)
			_, err = levels.List(ctx, &metainternalversion.ListOptions{})
			require.True(t, apierrors.IsTimeout(err), err)
			_, _, err = levels.Delete(ctx, "level", nil, &metav1.DeleteOptions{})
			require.True(t, apierrors.IsTimeout(err), err)
		})
	}
}

func TestWatchCacheOfAResource(t *testing.T) {
	resource := schema.GroupResource{Group: flowcontrol.GroupName, Resource: "flowschemas"}
	for _, test := range []struct {
		name    string
		enabled bool
		sizes   []string
		want    bool
	}{
		{"the default", true, nil, true},
		{"no caches", false, nil, false},
		{"a size, which means a cache", true, []string{"flowschemas.flowcontrol.apiserver.k8s.io#100"}, true},
		{"the size zero", true, []string{"flowschemas.flowcontrol.apiserver.k8s.io#0"}, false},
		{"the size zero of another resource", true, []string{"prioritylevelconfigurations.flowcontrol.apiserver.k8s.io#0"}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			cached, err := usesWatchCache(&genericoptions.EtcdOptions{EnableWatchCache: test.enabled, WatchCacheSizes: test.sizes}, resource)
			require.NoError(t, err)
			require.Equal(t, test.want, cached)
		})
	}
}
