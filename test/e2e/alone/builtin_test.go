package alone

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// specs returns the schemas by name.
func (s *site) specs(t *testing.T) map[string]flowcontrolv1.FlowSchema {
	t.Helper()
	list, err := s.schemas().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	found := map[string]flowcontrolv1.FlowSchema{}
	for _, item := range list.Items {
		found[item.Name] = item
	}
	return found
}

// TestServersOnOneEtcdDoNotFight starts a second server on the etcd of a first
// one. Neither may find anything to write.
func TestServersOnOneEtcdDoNotFight(t *testing.T) {
	t.Parallel()
	etcd := startEtcd(t)
	// Both start at once on an empty store: one of the two creates each object.
	launched := harness.LaunchServer(t, harness.ServerOptions{Etcd: etcd})
	first := startSite(t, etcd)
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	require.NoError(t, launched.WaitReady(ctx))
	second := siteOf(t, launched, etcd)
	for _, schema := range first.specs(t) {
		require.EqualValues(t, 1, schema.Generation, schema.Name)
	}

	// A write of one server may repeat a write of the other. So both stop, and one
	// starts alone and finishes the remaining writes.
	second.Stop(t)
	first.Stop(t)
	first.Start(t)
	first.createSchema(t, objects.SchemaOf("dangles", "absent"))
	first.Settle(t)
	before := resourceVersions(first.specs(t))
	silence, cancelWatch := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancelWatch()
	changes := first.Store(t).Watch(silence, storePrefix, clientv3.WithPrefix())

	second.Start(t)
	second.Settle(t)
	require.Equal(t, before, resourceVersions(second.specs(t)))
	for change := range changes {
		for _, event := range change.Events {
			t.Errorf("somebody wrote %s", event.Kv.Key)
		}
	}
	require.Equal(t, before, resourceVersions(first.specs(t)))
}

func resourceVersions(schemas map[string]flowcontrolv1.FlowSchema) map[string]string {
	versions := map[string]string{}
	for name, schema := range schemas {
		versions[name] = schema.ResourceVersion
	}
	return versions
}
