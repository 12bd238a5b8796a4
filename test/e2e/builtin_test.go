package e2e

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/scheme"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	autoUpdate = flowcontrolv1.AutoUpdateAnnotationKey
	// usersPrecedence is no built-in schema's.
	usersPrecedence = 4321
)

// TestBuiltInObjects treats the built-in objects badly in every way, starts the
// server again, and looks what came back. A running server does the same once a
// minute.
func TestBuiltInObjects(t *testing.T) {
	t.Parallel()
	for name, startStore := range stores() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startSite(t, startStore(t))
			original := s.specs(t)
			require.Len(t, original, 13)
			require.Equal(t, bootstrap.MandatoryFlowSchemaCatchAll.Spec, original["catch-all"].Spec)

			s.deleteSchemas(t, "catch-all", "probes", "service-accounts")
			require.NoError(t, s.levels().Delete(t.Context(), "global-default", metav1.DeleteOptions{}))
			require.NoError(t, s.levels().Delete(t.Context(), "exempt", metav1.DeleteOptions{}))
			refused := s.do(t, http.MethodPatch, v1Path+"/flowschemas/exempt", `{"spec": {"matchingPrecedence": 2}}`, "Content-Type: application/merge-patch+json")
			require.Equal(t, http.StatusUnprocessableEntity, refused.code, "a mandatory spec is not the user's")
			s.overwrite(t, "exempt", func(schema *flowcontrolv1.FlowSchema) { schema.Spec.MatchingPrecedence = 77 })

			s.reannotate(t, "kube-scheduler", "true")
			s.reannotate(t, "system-nodes", "false")
			s.reannotate(t, "system-node-high", "maybe")
			s.reannotate(t, "system-leader-election", "")
			first := newSchema("service-accounts", "workload-low")
			first.Annotations = map[string]string{autoUpdate: "maybe"}
			require.EqualValues(t, 1, s.createSchema(t, first).Generation)
			for name, annotation := range map[string]string{"former": "true", "mine": "false", "plain": ""} {
				schema, level := newSchema(name, name), newLevel(name, 1)
				if annotation != "" {
					schema.Annotations = map[string]string{autoUpdate: annotation}
					level.Annotations = schema.Annotations
				}
				s.createLevel(t, level)
				s.createSchema(t, schema)
			}

			s.Stop(t)
			s.Start(t)
			now := s.specs(t)
			for _, test := range []struct {
				why, schema, annotation string
				restored                bool
			}{
				{"a mandatory schema that was deleted comes back", "catch-all", "true", true},
				{"a mandatory schema that differs is restored", "exempt", "true", true},
				{"a suggested schema that was deleted comes back", "probes", "true", true},
				{"one annotated true is the server's, changed or not", "kube-scheduler", "true", true},
				{"one annotated false is the user's", "system-nodes", "false", false},
				{"one annotated nonsense and changed is the user's", "system-node-high", "false", false},
				{"one not annotated and changed is the user's", "system-leader-election", "false", false},
				{"one annotated nonsense and never changed is the server's", "service-accounts", "true", true},
			} {
				require.Contains(t, now, test.schema, test.why)
				require.Equal(t, test.annotation, now[test.schema].Annotations[autoUpdate], test.why)
				if test.restored {
					require.Equal(t, original[test.schema].Spec, now[test.schema].Spec, test.why)
				} else {
					require.EqualValues(t, usersPrecedence, now[test.schema].Spec.MatchingPrecedence, test.why)
				}
			}
			for _, name := range []string{"global-default", "exempt"} {
				_, err := s.levels().Get(t.Context(), name, metav1.GetOptions{})
				require.NoError(t, err, "levels come back too")
			}
			require.NotContains(t, now, "former", "what was built in once and is no more goes")
			_, err := s.levels().Get(t.Context(), "former", metav1.GetOptions{})
			require.True(t, apierrors.IsNotFound(err), "%v", err)
			for _, name := range []string{"mine", "plain"} {
				require.Contains(t, now, name)
				_, err := s.levels().Get(t.Context(), name, metav1.GetOptions{})
				require.NoError(t, err)
			}
		})
	}
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

func (s *site) deleteSchemas(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		require.NoError(t, s.schemas().Delete(t.Context(), name, metav1.DeleteOptions{}))
	}
}

// reannotate changes a schema's spec and what it says about its owner; empty
// takes the annotation away.
func (s *site) reannotate(t *testing.T, name, annotation string) {
	t.Helper()
	var value any
	if annotation != "" {
		value = annotation
	}
	changed := s.patchSchema(t, name, map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{autoUpdate: value}},
		"spec":     map[string]any{"matchingPrecedence": usersPrecedence},
	})
	require.EqualValues(t, 2, changed.Generation)
}

// overwrite changes a schema in etcd itself, past the API.
func (s *site) overwrite(t *testing.T, name string, change func(*flowcontrolv1.FlowSchema)) {
	t.Helper()
	key, store := storePrefix+"/flowschemas/"+name, s.store(t)
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
	ctx, cancel := context.WithTimeout(t.Context(), grace)
	defer cancel()
	require.NoError(t, launched.WaitReady(ctx))
	second := siteOf(t, launched, etcd)
	for _, schema := range first.specs(t) {
		require.EqualValues(t, 1, schema.Generation, schema.Name)
	}

	first.createSchema(t, newSchema("dangles", "absent"))
	first.settle(t)
	// What one of them has written, the other may be about to write as well. The
	// second is done with that when it ends, the first when it tells of another
	// schema, which comes last in its queue.
	second.Stop(t)
	first.createSchema(t, newSchema("dangles-too", "absent"))
	first.settle(t)
	before := resourceVersions(first.specs(t))
	events, cancelWatch := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancelWatch()
	changes := first.store(t).Watch(events, storePrefix, clientv3.WithPrefix())

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
