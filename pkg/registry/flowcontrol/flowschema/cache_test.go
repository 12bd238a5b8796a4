package flowschema

import (
	"context"
	"io"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// fakeSource returns the same list for each request, and two watches.
type fakeSource struct {
	source
	list    flowcontrol.FlowSchemaList
	listed  []metainternalversion.ListOptions
	watched []metainternalversion.ListOptions
	watches [2]*watch.RaceFreeFakeWatcher
}

func (f *fakeSource) List(_ context.Context, options *metainternalversion.ListOptions) (runtime.Object, error) {
	f.listed = append(f.listed, *options)
	return f.list.DeepCopy(), nil
}

func (f *fakeSource) Watch(_ context.Context, options *metainternalversion.ListOptions) (watch.Interface, error) {
	f.watched = append(f.watched, *options)
	return f.watches[len(f.watched)-1], nil
}

// named returns a schema whose subject is a user that no other schema names.
func named(name string, version int) flowcontrol.FlowSchema {
	schema := flowcontrol.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: strconv.Itoa(version)}}
	schema.Spec.Rules = []flowcontrol.PolicyRulesWithSubjects{{Subjects: []flowcontrol.Subject{
		{Kind: flowcontrol.SubjectKindUser, User: &flowcontrol.UserSubject{Name: "user of " + name}},
	}}}
	return schema
}

func event(name string, version int) *flowcontrol.FlowSchema {
	schema := named(name, version)
	return &schema
}

// wrapped is a schema in the form in which the watch cache sends it to several
// watchers.
type wrapped struct{ *flowcontrol.FlowSchema }

var _ runtime.CacheableObject = wrapped{}

func (w wrapped) CacheEncode(runtime.Identifier, func(runtime.Object, io.Writer) error, io.Writer) error {
	return nil
}
func (w wrapped) GetObject() runtime.Object { return w.FlowSchema }

// newTestCache returns a cache of b and a at resource version 5.
func newTestCache(t *testing.T) (*schemaCache, *fakeSource) {
	t.Helper()
	from := &fakeSource{list: flowcontrol.FlowSchemaList{
		ListMeta: metav1.ListMeta{ResourceVersion: "5"},
		Items:    []flowcontrol.FlowSchema{named("b", 4), named("a", 5)},
	}}
	for i := range from.watches {
		from.watches[i] = watch.NewRaceFreeFake()
	}
	c := newSchemaCache(from)
	t.Cleanup(c.stop)
	return c, from
}

// requireAt requires these schemas at a version, each as its name and its
// version.
func requireAt(t *testing.T, c *schemaCache, version uint64, want ...string) {
	t.Helper()
	schemas, err := c.list(t.Context(), version, lint.AllUsers)
	require.NoError(t, err)
	got := []string{}
	for _, schema := range schemas {
		got = append(got, schema.Name+schema.ResourceVersion)
	}
	require.Equal(t, want, got)
}

func TestCacheFollowsTheWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, from := newTestCache(t)
		requireAt(t, c, 0, "a5", "b4")
		events := from.watches[0]
		events.Add(event("ab", 6))
		requireAt(t, c, 6, "a5", "ab6", "b4")
		events.Modify(wrapped{event("b", 8)})
		requireAt(t, c, 8, "a5", "ab6", "b8")
		events.Delete(event("a", 9))
		requireAt(t, c, 9, "ab6", "b8")
		events.Action(watch.Bookmark, event("", 12))
		requireAt(t, c, 12, "ab6", "b8")

		require.Len(t, from.listed, 1)
		require.Equal(t, "0", from.listed[0].ResourceVersion, "from the watch cache")
		require.Equal(t, "5", from.watched[0].ResourceVersion)
		require.True(t, from.watched[0].AllowWatchBookmarks)
	})
}

func TestCacheListsAgainWhenItsWatchExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, from := newTestCache(t)
		requireAt(t, c, 0, "a5", "b4")
		from.watches[0].Add(event("c", 6))
		requireAt(t, c, 6, "a5", "b4", "c6")
		from.list.ResourceVersion, from.list.Items = "20", []flowcontrol.FlowSchema{named("z", 20)}
		from.watches[0].Error(&metav1.Status{Status: metav1.StatusFailure, Code: 410, Reason: metav1.StatusReasonExpired})
		requireAt(t, c, 20, "z20")
		require.Equal(t, "6", from.listed[1].ResourceVersion, "not older than the cache")
	})
}

func TestStoppedCacheDoesNotStart(t *testing.T) {
	c, from := newTestCache(t)
	c.stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.list(ctx, 0, lint.AllUsers)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, from.listed)
	c.stop()
}

// newFilledCache returns a cache without a watch.
func newFilledCache(t *testing.T) *schemaCache {
	t.Helper()
	c, _ := newTestCache(t)
	c.startOnce.Do(func() {})
	require.NoError(t, c.Replace([]any{event("b", 4), event("a", 5)}, "5"))
	return c
}

func TestReadWaitsForItsResourceVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFilledCache(t)
		_, err := c.list(t.Context(), 6, lint.AllUsers)
		require.ErrorContains(t, err, "FlowSchemas did not reach resource version 6 within 3s")

		var read []*flowcontrolv1.FlowSchema
		go func() { read, _ = c.list(t.Context(), 7, lint.AllUsers) }()
		synctest.Wait()
		require.NoError(t, c.Add(event("c", 6)))
		c.UpdateResourceVersion("6")
		synctest.Wait()
		require.Nil(t, read, "at version 6")
		require.NoError(t, c.Add(event("d", 7)))
		c.UpdateResourceVersion("7")
		synctest.Wait()
		require.Len(t, read, 4)
	})
}

func TestReadSchemasDoNotChangeLater(t *testing.T) {
	c := newFilledCache(t)
	before, err := c.list(t.Context(), 0, lint.AllUsers)
	require.NoError(t, err)
	require.NoError(t, c.Delete(event("a", 6)))
	require.NoError(t, c.Update(event("b", 7)))
	requireAt(t, c, 0, "b7")
	require.Equal(t, "a", before[0].Name)
	require.Equal(t, "4", before[1].ResourceVersion)
}

func TestReadReturnsSchemasOfTheUsers(t *testing.T) {
	c := newFilledCache(t)
	for _, name := range []string{"a", "b"} {
		found, err := c.list(t.Context(), 0, lint.MaskOf(forLint(event(name, 0))))
		require.NoError(t, err)
		require.Len(t, found, 1)
		require.Equal(t, name, found[0].Name)
	}
	moved := event("a", 6)
	moved.Spec.Rules = event("b", 0).Spec.Rules
	require.NoError(t, c.Update(moved))
	found, err := c.list(t.Context(), 0, lint.MaskOf(forLint(moved)))
	require.NoError(t, err)
	require.Len(t, found, 2, "the mask follows changes of the subjects")
	found, err = c.list(t.Context(), 0, 0)
	require.NoError(t, err)
	require.Empty(t, found, "an empty mask intersects none")
}
