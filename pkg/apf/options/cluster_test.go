package options

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/test/logs"
)

// stub is a kube-apiserver whose answers a test chooses.
type stub struct {
	*fake.Clientset
	mu sync.Mutex // guards failure
	// failure returns an error for a version, if any.
	failure func(version string) error
}

func (s *stub) fail(version string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure(version)
}

func (s *stub) failBy(failure func(version string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failure = failure
}

func newStub(objects ...runtime.Object) *stub {
	s := &stub{Clientset: fake.NewClientset(objects...), failure: func(string) error { return nil }}
	s.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		err := s.fail(action.GetResource().Version)
		return err != nil, nil, err
	})
	s.PrependWatchReactor("*", func(action clienttesting.Action) (bool, watch.Interface, error) {
		err := s.fail(action.GetResource().Version)
		if w, ok := action.(clienttesting.WatchActionImpl); ok && err == nil && w.ListOptions.SendInitialEvents != nil {
			err = apierrors.NewBadRequest("the fake API does not stream lists") // informers ask since 0.35
		}
		return err != nil, nil, err
	})
	return s
}

func group() schema.GroupResource {
	return schema.GroupResource{Group: flowcontrolv1.GroupName, Resource: "flowschemas"}
}

// schemaV1 and schemaV1beta3 return schemas of the level exempt.
func schemaV1(name string) *flowcontrolv1.FlowSchema {
	schema := &flowcontrolv1.FlowSchema{}
	schema.Name, schema.Spec.PriorityLevelConfiguration.Name = name, "exempt"
	return schema
}

func schemaV1beta3(name string) *flowcontrolv1beta3.FlowSchema {
	schema := &flowcontrolv1beta3.FlowSchema{}
	schema.Name, schema.Spec.PriorityLevelConfiguration.Name = name, "exempt"
	return schema
}

func objects() []runtime.Object { return []runtime.Object{schemaV1("a"), schemaV1beta3("old")} }

func TestTheObjectsOfTheClusterAreInForceOnceTheyCanBeRead(t *testing.T) {
	notFound := func(version string) error { return apierrors.NewNotFound(group(), version) }
	tests := map[string]error{
		"403":     apierrors.NewForbidden(group(), "", errors.New("no right")),
		"404":     notFound(""),
		"500":     apierrors.NewInternalError(errors.New("broken")),
		"garbage": errors.New("invalid character '<' looking for beginning of value"),
		"refused": errors.New("dial tcp 127.0.0.1:1: connect: connection refused"),
	}
	for name, failure := range tests {
		t.Run(name, func(t *testing.T) {
			log := logs.Record(t, "0")
			synctest.Test(t, func(t *testing.T) {
				f, server := newFixture(), newStub(objects()...)
				server.failBy(func(string) error { return failure })
				following(t, newCluster(server, f.sources, utilclock.RealClock{}).follow)
				pass(time.Hour)
				assert.Equal(t, builtIn, f.status().Source)
				assert.Contains(t, f.status().Problems[fromCluster], failure.Error())
				assert.Equal(t, 1, complaints(log), "once, for both resources: %s", log)
				assert.NotContains(t, log.String(), "err=<", "on one line")
				asked := len(server.Actions())
				assert.LessOrEqual(t, asked, 20*2*2, "8 pauses grow to 5 minutes, 12 more in the hour; 2 resources, at most 2 versions")

				server.failBy(func(string) error { return nil })
				pass(5 * time.Minute)
				assert.Equal(t, fromCluster, f.status().Source)
				assert.Equal(t, "v1", f.status().Place)
				assert.Equal(t, []string{"a"}, f.names())
				assert.Empty(t, f.status().Problems)
			})
		})
	}
}

func TestTheClusterIsReadAsV1beta3WhereThereIsNoV1(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, server := newFixture(), newStub(objects()...)
		server.failBy(func(version string) error {
			if version == "v1" {
				return apierrors.NewNotFound(group(), "")
			}
			return nil
		})
		following(t, newCluster(server, f.sources, utilclock.RealClock{}).follow)
		pass(time.Second)
		require.Equal(t, []string{"old"}, f.names())
		require.Equal(t, "v1beta3", f.status().Place)

		_, err := server.FlowcontrolV1beta3().FlowSchemas().Create(t.Context(), schemaV1beta3("new"), metav1.CreateOptions{})
		require.NoError(t, err)
		pass(time.Second)
		require.ElementsMatch(t, []string{"old", "new"}, f.names())
	})
}

func TestLosingTheClusterLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, server := newFixture(), newStub(objects()...)
		following(t, newCluster(server, f.sources, utilclock.RealClock{}).follow)
		pass(time.Second)
		require.Equal(t, []string{"a"}, f.names())
		server.failBy(func(string) error { return apierrors.NewForbidden(group(), "", errors.New("revoked")) })
		pass(time.Hour)
		assert.Equal(t, []string{"a"}, f.names())
		assert.Equal(t, fromCluster, f.status().Source)
	})
}

// Informers list again when a watch has expired. All other errors of a watch are problems.
func TestAnExpiredWatchIsNoProblem(t *testing.T) {
	for _, test := range []struct {
		err     error
		problem bool
	}{
		{apierrors.NewResourceExpired("too old"), false},
		{apierrors.NewGone("too old"), false},
		{apierrors.NewInternalError(errors.New("broken")), true},
	} {
		synctest.Test(t, func(t *testing.T) {
			f, server := newFixture(), newStub(objects()...)
			server.PrependWatchReactor("*", func(clienttesting.Action) (bool, watch.Interface, error) { return true, nil, test.err })
			following(t, newCluster(server, f.sources, utilclock.RealClock{}).follow)
			pass(time.Minute)
			assert.Equal(t, []string{"a"}, f.names())
			assert.Equal(t, test.problem, f.status().Problems[fromCluster] != "", "%v: %v", test.err, f.status().Problems)
		})
	}
}

func TestAClusterWithoutFlowSchemasIsNoConfiguration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		following(t, newCluster(newStub(), f.sources, utilclock.RealClock{}).follow)
		pass(time.Second)
		assert.Equal(t, builtIn, f.status().Source)
		assert.Equal(t, "kube-apiserver has no FlowSchemas", f.status().Problems[fromCluster])
	})
}

func TestTheFileIsBetterThanTheCluster(t *testing.T) {
	f := newFixture()
	for _, version := range []string{"v1beta3", "v1"} {
		f.offer(fromCluster, version, nil, []*flowcontrolv1.FlowSchema{schemaV1("cluster")}, nil)
		require.Equal(t, []string{"cluster"}, f.names())
		require.Equal(t, version, f.status().Place)
	}
	path := t.TempDir() + "/a.yaml"
	write(t, path, manifest("file"))
	(&file{path: path, sources: f.sources}).read()
	f.offer(fromCluster, "v1", nil, nil, errors.New("broken"))
	require.Equal(t, []string{"file"}, f.names())
	require.Equal(t, Status{Source: fromFile, Place: path, Since: start(), Problems: map[Source]string{fromCluster: "broken"}}, f.status())
	f.offer(fromCluster, "v1", nil, nil, nil)
	require.Empty(t, f.status().Problems)
}

func TestTheProblemOfOneResourceDoesNotOutliveIt(t *testing.T) {
	f := newFixture()
	c := newCluster(newStub(), f.sources, utilclock.RealClock{})
	c.note(map[string]error{"FlowSchemas": errors.New("one")})
	c.note(map[string]error{"PriorityLevelConfigurations": errors.New("two")})
	c.note(map[string]error{"FlowSchemas": nil})
	assert.Equal(t, "PriorityLevelConfigurations of kube-apiserver: two", f.status().Problems[fromCluster])
	require.NoError(t, c.schemas.GetStore().Add(schemaV1("a")))
	c.offer()
	assert.Equal(t, []string{"a"}, f.names())
	assert.Contains(t, f.status().Problems[fromCluster], "two", "an offer does not hide it")
	c.note(map[string]error{"PriorityLevelConfigurations": nil})
	assert.Empty(t, f.status().Problems)
}
