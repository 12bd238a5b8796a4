package e2e

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

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/scheme"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/eventually"
)

const (
	autoUpdate = flowcontrolv1.AutoUpdateAnnotationKey
	// usersPrecedence is no built-in schema's.
	usersPrecedence = 4321
)

// testBuiltInObjects treats the built-in objects badly, starts the server again, and
// looks what came back. A running server does the same once a minute, so it may
// come between at any time: what must hold at last does not depend on that. Which
// object is whose is tested in pkg/registry/flowcontrol/bootstrap.
func testBuiltInObjects(t *testing.T, s *live) {
	original := s.specs(t)
	require.Equal(t, bootstrap.MandatoryFlowSchemaCatchAll.Spec, original["catch-all"].Spec)
	s.removeAfter(t, "everything", "mine", "former")

	s.deleteObjects(t, []string{"catch-all", "service-accounts"}, []string{"global-default", "exempt"})
	refused := s.do(t, http.MethodPatch, v1Path+"/flowschemas/exempt", `{"spec": {"matchingPrecedence": 2}}`, "Content-Type: application/merge-patch+json")
	require.Equal(t, http.StatusUnprocessableEntity, refused.code, "a mandatory spec is not the user's")
	s.overwrite(t, "exempt", func(schema *flowcontrolv1.FlowSchema) { schema.Spec.MatchingPrecedence = 77 })
	s.reannotate(t, "kube-scheduler", "true")
	s.reannotate(t, "system-nodes", "false")
	for name, annotation := range map[string]string{"former": "true", "mine": "false"} {
		schema := newSchema(name, "catch-all")
		schema.Annotations = map[string]string{autoUpdate: annotation}
		s.createSchema(t, schema)
	}
	// This gives cause for advice on all that come after it; the log is not the
	// place for that.
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

// specs are the schemas by name.
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

// reannotate changes a schema's spec and what it says about its owner.
func (s *site) reannotate(t *testing.T, name, annotation string) {
	t.Helper()
	s.patchSchema(t, name, map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{autoUpdate: annotation}},
		"spec":     map[string]any{"matchingPrecedence": usersPrecedence},
	})
}

// overwrite changes a schema in etcd itself, past the API.
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

// TestServersOnOneEtcdDoNotFight starts a second server on an etcd in which a
// first keeps the built-in objects: neither finds anything to write.
func TestServersOnOneEtcdDoNotFight(t *testing.T) {
	t.Parallel()
	etcd := startEtcd(t)
	// Both at once on an empty store: each object is made by one of the two.
	launched := harness.LaunchServer(t, harness.ServerOptions{Etcd: etcd})
	first := startSite(t, etcd)
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	require.NoError(t, launched.WaitReady(ctx))
	second := siteOf(t, launched, etcd)
	for _, schema := range first.specs(t) {
		require.EqualValues(t, 1, schema.Generation, schema.Name)
	}

	// What one of them has written, the other may still be about to write as well.
	// So both end, and one alone comes back and does what is left to do.
	second.Stop(t)
	first.Stop(t)
	first.Start(t)
	first.createSchema(t, newSchema("dangles", "absent"))
	first.settle(t)
	before := resourceVersions(first.specs(t))
	silence, cancelWatch := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancelWatch()
	changes := first.Store(t).Watch(silence, storePrefix, clientv3.WithPrefix())

	second.Start(t)
	second.settle(t)
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
