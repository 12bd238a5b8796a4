package alone

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/scheme"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

const (
	autoUpdate = flowcontrolv1.AutoUpdateAnnotationKey
	// usersPrecedence is not the precedence of any built-in schema.
	usersPrecedence = 4321
)

// testBuiltInObjects deletes and changes built-in objects, restarts the server,
// and checks which objects it restored. A running server restores them once a
// minute too; the final state does not depend on that. Package bootstrap tests
// which objects belong to the user.
func testBuiltInObjects(t *testing.T, s *live) {
	original := s.specs(t)
	require.Equal(t, bootstrap.MandatoryFlowSchemaCatchAll.Spec, original["catch-all"].Spec)
	s.removeAfter(t, "everything", "mine", "former")

	s.deleteObjects(t, []string{"catch-all", "service-accounts"}, []string{"global-default", "exempt"})
	rejected := s.do(t, http.MethodPatch, v1Path+"/flowschemas/exempt", `{"spec": {"matchingPrecedence": 2}}`, "Content-Type: application/merge-patch+json")
	require.Equal(t, http.StatusUnprocessableEntity, rejected.Code, "a mandatory spec is not the user's")
	s.overwrite(t, "exempt", func(schema *flowcontrolv1.FlowSchema) { schema.Spec.MatchingPrecedence = 77 })
	s.reannotate(t, "kube-scheduler", "true")
	s.reannotate(t, "system-nodes", "false")
	for name, annotation := range map[string]string{"former": "true", "mine": "false"} {
		schema := objects.SchemaOf(name, "catch-all")
		schema.Annotations = map[string]string{autoUpdate: annotation}
		s.createSchema(t, schema)
	}
	// This schema shadows every later one. The server must not log advice about
	// them.
	s.createSchema(t, of("*", "everything", 8999))

	s.restart(t)
	now := s.specs(t)
	for _, test := range []struct{ why, schema string }{
		{"a mandatory schema that was deleted comes back", "catch-all"},
		{"a mandatory schema that differs is restored", "exempt"},
		{"a suggested schema that was deleted comes back", "service-accounts"},
		{"one annotated true is the server's, changed or not", "kube-scheduler"},
	} {
		require.Contains(t, now, test.schema, test.why)
		require.Equal(t, "true", now[test.schema].Annotations[autoUpdate], test.why)
		require.Equal(t, original[test.schema].Spec, now[test.schema].Spec, test.why)
	}
	require.EqualValues(t, usersPrecedence, now["system-nodes"].Spec.MatchingPrecedence, "one annotated false is the user's")
	require.NotContains(t, now, "former", "what was built in once and is no more goes")
	require.Contains(t, now, "mine")
	for _, name := range []string{"global-default", "exempt"} {
		_, err := s.levels().Get(t.Context(), name, metav1.GetOptions{})
		require.NoError(t, err, "levels come back too")
	}
	require.NotContains(t, s.Process.Output(), neverMatches)
}

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

func (s *site) deleteObjects(t *testing.T, schemas, levels []string) {
	t.Helper()
	for _, name := range schemas {
		require.NoError(t, s.schemas().Delete(t.Context(), name, metav1.DeleteOptions{}))
	}
	for _, name := range levels {
		require.NoError(t, s.levels().Delete(t.Context(), name, metav1.DeleteOptions{}))
	}
}

// reannotate changes a schema's spec and its auto-update annotation.
func (s *site) reannotate(t *testing.T, name, annotation string) {
	t.Helper()
	s.patchSchema(t, name, map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{autoUpdate: annotation}},
		"spec":     map[string]any{"matchingPrecedence": usersPrecedence},
	})
}

// overwrite changes a schema directly in etcd, not through the API.
func (s *site) overwrite(t *testing.T, name string, change func(*flowcontrolv1.FlowSchema)) {
	t.Helper()
	key, store := storePrefix+"/flowschemas/"+name, s.Store(t)
	response, err := store.Get(t.Context(), key)
	require.NoError(t, err)
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(response.Kvs[0].Value, nil, nil)
	require.NoError(t, err)
	schema := object.(*flowcontrolv1.FlowSchema)
	change(schema)
	_, err = store.Put(t.Context(), key, toProtobuf(t, schema))
	require.NoError(t, err)
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
