package registration

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// alices gives the requests of alice a level of their own.
const alices = `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: alices}
spec: {type: Limited, limited: {nominalConcurrencyShares: 7, limitResponse: {type: Reject}}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: alices}
spec:
  matchingPrecedence: 300
  priorityLevelConfiguration: {name: alices}
  rules:
  - subjects: [{kind: User, user: {name: alice}}]
    resourceRules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"]}]
`

func TestBothVersionsTakenOver(t *testing.T) {
	s := startOwn(t, "", []string{"v1beta3"})
	informed, before := s.follow(t), s.revision(t)
	s.Apply(t, "overlays/take-v1")
	s.MakeCertificates(t, "--etcd")
	s.ours = []string{"v1", "v1beta3"}
	s.waitAvailable(t)

	s.run(t, append([]theme{
		{"who watched v1 is told of what is stored here", func(t *testing.T, s *site) { t.Helper(); testInformed(t, s, informed, before) }},
		{"kube-apiserver's own flow control is configured here", testConfiguredHere},
	}, append(everywhere(),
		theme{"while this server is away kube-apiserver keeps what it last read", testKeeps},
		theme{"v1 is given back", testGivenBack},
	)...)...)
}

// follow keeps a copy of the schemas as an informer does, by watches that end
// each second.
func (s *site) follow(t *testing.T) cache.Store {
	t.Helper()
	client := s.Client.FlowcontrolV1().FlowSchemas()
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	reflector := cache.NewReflectorWithOptions(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return client.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.TimeoutSeconds = new(int64(1))
			return client.Watch(ctx, options)
		},
	}, &flowcontrolv1.FlowSchema{}, store, cache.ReflectorOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go reflector.RunWithContext(ctx)
	cluster.Eventually(t, "the informer has the schemas", func(context.Context) error {
		if _, found, _ := store.GetByKey("catch-all"); !found {
			return errors.New("it has none")
		}
		return nil
	})
	return store
}

// testInformed holds although the version that the informer knows, of
// kube-apiserver's store, is one that this server's store is far from.
func testInformed(t *testing.T, s *site, informed cache.Store, before uint64) {
	require.Less(t, s.revision(t), before)
	s.kubectl.RunInput(t, manifest("v1", "news"), "apply", "-f", "-")
	cluster.Eventually(t, "the informer is told", func(context.Context) error {
		if _, found, _ := informed.GetByKey("news"); !found {
			return errors.New("it is not")
		}
		return nil
	})
}

// revision is that of the store behind v1.
func (s *site) revision(t *testing.T) uint64 {
	t.Helper()
	var list metav1.PartialObjectMetadataList
	s.get(t, path("v1", "")).decode(t, &list)
	revision, err := strconv.ParseUint(list.ResourceVersion, 10, 64)
	require.NoError(t, err)
	return revision
}

// testConfiguredHere starts kube-apiserver again first: its watches from before
// go on at its own store for up to ten minutes.
func testConfiguredHere(t *testing.T, s *site) {
	s.restartKubeAPIServer(t)
	s.waitBoth(t)
	s.kubectl.RunInput(t, alices, "apply", "-f", "-")
	applied := time.Now()
	cluster.Eventually(t, "alice's requests are governed by her schema", func(ctx context.Context) error { return s.governsAlice(ctx, t) })
	t.Logf("in force %v after it was applied", time.Since(applied).Round(time.Millisecond))
}

// governsAlice is an error unless kube-apiserver's own flow control goes by the
// objects of alices.
func (s *site) governsAlice(ctx context.Context, t *testing.T) error {
	t.Helper()
	asked, err := s.try(ctx, "/api/v1/nodes", "Impersonate-User: alice")
	if err != nil {
		return err
	}
	const schema = "X-Kubernetes-Pf-Flowschema-Uid"
	if uid := s.uid(t); asked.header.Get(schema) != uid {
		return fmt.Errorf("her schema is %s, that of her request %s", uid, asked.header.Get(schema))
	}
	dump, err := s.try(ctx, "/debug/api_priority_and_fairness/dump_priority_levels")
	if err != nil {
		return err
	}
	require.Equal(t, http.StatusOK, dump.code)
	require.Contains(t, dump.body, "\nalices, ")
	return nil
}

// uid is that of the schema alices, as it was last known.
func (s *site) uid(t *testing.T) string {
	t.Helper()
	if s.alice == "" {
		s.alice = s.kubectl.Run(t, "get", "flowschema", "alices", "-o", "jsonpath={.metadata.uid}")
	}
	return s.alice
}

func testKeeps(t *testing.T, s *site) {
	back := s.leave(t)
	for range 10 {
		require.NoError(t, s.governsAlice(t.Context(), t))
	}
	back()
}

// testGivenBack ends with kube-apiserver's own objects in v1, and ours in
// v1beta3.
func testGivenBack(t *testing.T, s *site) {
	s.Apply(t, "overlays/return-v1")
	cluster.Eventually(t, "v1 has kube-apiserver's own objects", func(ctx context.Context) error {
		answer, err := s.try(ctx, path("v1", "alices"))
		return errors.Join(err, answer.unless(http.StatusNotFound))
	})
	s.WaitAPIService(t, apiService("v1"))
	require.Equal(t, "onstart ", s.kubectl.Run(t, "get", "apiservice", apiService("v1"),
		"-o", `jsonpath={.metadata.labels.kube-aggregator\.kubernetes\.io/automanaged} {.spec.service}`))
	require.Equal(t, http.StatusOK, s.get(t, path("v1beta3", "alices")).code)
	require.Equal(t, http.StatusOK, s.get(t, path("v1", "catch-all")).code)
}
