package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
)

// watchSchemas watches until the test ends.
func (s *site) watchSchemas(t *testing.T, options metav1.ListOptions) watch.Interface {
	t.Helper()
	watcher, err := s.schemas().Watch(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(watcher.Stop)
	return watcher
}

// next is the next event, which must come.
func next(t *testing.T, watcher watch.Interface) watch.Event {
	t.Helper()
	select {
	case event, open := <-watcher.ResultChan():
		require.True(t, open, "the watch ended")
		return event
	case <-time.After(grace):
		t.Fatal("no event came")
		return watch.Event{}
	}
}

// requireAdded takes the next event, which must tell of a new schema.
func requireAdded(t *testing.T, watcher watch.Interface, name string) {
	t.Helper()
	event := next(t, watcher)
	require.Equal(t, watch.Added, event.Type, "%v", event.Object)
	require.Equal(t, name, event.Object.(*flowcontrolv1.FlowSchema).Name)
}

// labelSet selects what createLabelled makes.
func labelSet(name string) metav1.ListOptions {
	return metav1.ListOptions{LabelSelector: "set=" + name}
}

// setPrecedence changes the spec, whatever the engine writes into the status
// meanwhile.
func (s *site) setPrecedence(t *testing.T, name string, precedence int32) *flowcontrolv1.FlowSchema {
	t.Helper()
	return s.patchSchema(t, name, map[string]any{"spec": map[string]any{"matchingPrecedence": precedence}})
}

func testWatchEvents(c apiCase) {
	t, s := c.t, c.site
	// The engine writes the status of each schema once, a change more than
	// those made here; so levels are watched, which it does not write.
	levels := func(options metav1.ListOptions) watch.Interface {
		options.FieldSelector = "metadata.name=watched"
		watcher, err := s.levels().Watch(t.Context(), options)
		require.NoError(t, err)
		t.Cleanup(watcher.Stop)
		return watcher
	}
	fromNow := levels(metav1.ListOptions{})
	created := s.createLevel(t, newLevel("watched", 1))
	var want []string
	var last string
	for shares := range int32(5) {
		level := newLevel("watched", shares+2)
		updated, err := s.levels().Update(t.Context(), level, metav1.UpdateOptions{})
		require.NoError(t, err)
		want, last = append(want, updated.ResourceVersion), updated.ResourceVersion
	}
	require.NoError(t, s.levels().Delete(t.Context(), "watched", metav1.DeleteOptions{}))

	for name, watcher := range map[string]watch.Interface{
		"from now":         fromNow,
		"from the version": levels(metav1.ListOptions{ResourceVersion: created.ResourceVersion}),
	} {
		if watcher == fromNow {
			event := next(t, watcher)
			require.Equal(t, watch.Added, event.Type, name)
			require.Equal(t, created.ResourceVersion, version(event), name)
		}
		for _, expected := range want {
			event := next(t, watcher)
			require.Equal(t, watch.Modified, event.Type, name)
			require.Equal(t, expected, version(event), name)
		}
		event := next(t, watcher)
		require.Equal(t, watch.Deleted, event.Type, name)
		require.NotEqual(t, last, version(event), "the end has a version of its own")
		require.EqualValues(t, 6, *event.Object.(*flowcontrolv1.PriorityLevelConfiguration).Spec.Limited.NominalConcurrencyShares)
	}
}

// version is the resourceVersion of the object of an event.
func version(event watch.Event) string {
	return event.Object.(metav1.Object).GetResourceVersion()
}

func testWatchInitialEvents(c apiCase) {
	t, s := c.t, c.site
	s.createLabelled(t, "initial", 3)
	options := labelSet("initial")
	options.SendInitialEvents = new(true)
	options.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
	options.AllowWatchBookmarks = true
	watcher := s.watchSchemas(t, options)

	seen := map[string]bool{}
	for {
		event := next(t, watcher)
		schema := event.Object.(*flowcontrolv1.FlowSchema)
		if event.Type == watch.Bookmark {
			require.Equal(t, "true", schema.Annotations[metav1.InitialEventsAnnotationKey])
			require.NotEmpty(t, schema.ResourceVersion)
			break
		}
		seen[schema.Name] = true
	}
	require.Equal(t, map[string]bool{"initial-0": true, "initial-1": true, "initial-2": true}, seen)

	// From the state and on: without initial events asked for, the state comes
	// first as well, but nothing says where it ends.
	fromState := s.watchSchemas(t, metav1.ListOptions{LabelSelector: "set=initial", ResourceVersion: "0"})
	for range 3 {
		require.Equal(t, watch.Added, next(t, fromState).Type)
	}

	refused := s.do(t, http.MethodGet, v1Path+"/flowschemas?watch=true&sendInitialEvents=true", "")
	require.Equal(t, http.StatusUnprocessableEntity, refused.code)
	require.Contains(t, refused.status(t).Message, "resourceVersionMatch")
}

func testWatchSelectors(c apiCase) {
	t, s := c.t, c.site
	watcher := s.watchSchemas(t, labelSet("moving"))
	created := s.createLabelled(t, "moving", 1)
	requireAdded(t, watcher, created.Name)

	s.patchSchema(t, created.Name, map[string]any{"metadata": map[string]any{"labels": map[string]any{"set": "elsewhere"}}})
	for event := next(t, watcher); event.Type != watch.Deleted; event = next(t, watcher) {
		require.Equal(t, watch.Modified, event.Type, "the engine's write of the status alone may come between")
	}
	s.patchSchema(t, created.Name, map[string]any{"metadata": map[string]any{"labels": map[string]any{"set": "moving"}}})
	requireAdded(t, watcher, created.Name)
}

func testWatchEnds(c apiCase) {
	t, s := c.t, c.site
	watcher := s.watchSchemas(t, metav1.ListOptions{FieldSelector: "metadata.name=absent", TimeoutSeconds: new(int64(1))})
	select {
	case event, open := <-watcher.ResultChan():
		require.False(t, open, "%v", event)
	case <-time.After(grace):
		t.Fatal("the watch did not end")
	}

	for version, code := range map[string]int{
		"nonsense": http.StatusBadRequest, "-1": http.StatusBadRequest,
		"1000000000000": http.StatusGone, // of another store: whoever watched from there would never be told of anything
	} {
		refused := s.do(t, http.MethodGet, v1Path+"/flowschemas?watch=true&resourceVersion="+version, "")
		require.Equal(t, code, refused.code, refused.body)
		refused.status(t)
	}
}

func testWatchFramings(c apiCase) {
	t, s := c.t, c.site
	config := s.Config(t)
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf
	client, err := versioned.NewForConfig(config)
	require.NoError(t, err)
	watcher, err := client.FlowcontrolV1().FlowSchemas().Watch(t.Context(), labelSet("framed"))
	require.NoError(t, err)
	t.Cleanup(watcher.Stop)

	socket := dialWebSocket(t, s, v1Path+"/flowschemas?watch=true&labelSelector=set%3Dframed")
	created := s.createLabelled(t, "framed", 1)
	requireAdded(t, watcher, created.Name)
	var told struct {
		Type   watch.EventType
		Object flowcontrolv1.FlowSchema
	}
	require.NoError(t, json.Unmarshal(socket.message(t), &told))
	require.Equal(t, watch.Added, told.Type)
	require.Equal(t, created.UID, told.Object.UID)
}

// TestWatchBookmarks waits for a bookmark: one comes two seconds before a watch
// ends, unless the machine is too busy just then.
func TestWatchBookmarks(t *testing.T) {
	t.Parallel()
	for name, startStore := range stores() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startSite(t, startStore(t))
			created := s.createSchema(t, newSchema("bookmarked", "catch-all"))
			eventually(t, "a bookmark comes", func(ctx context.Context) (bool, error) {
				told, err := trySend(ctx, s.http, http.MethodGet, s.URL+v1Path+
					"/flowschemas?watch=true&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dabsent&timeoutSeconds=4&resourceVersion="+created.ResourceVersion, "")
				for line := range strings.Lines(told.body) {
					require.True(t, strings.HasPrefix(line, `{"type":"BOOKMARK"`), line)
				}
				return told.body != "", err
			})
		})
	}
}
