package flowschema

import (
	"context"
	"io"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// fakeSource has one list for every question, and two watches.
type fakeSource struct {
	source
	list    flowcontrol.FlowSchemaList
	asked   []metainternalversion.ListOptions
	watched []metainternalversion.ListOptions
	watches [2]*watch.RaceFreeFakeWatcher
}

func (f *fakeSource) List(_ context.Context, options *metainternalversion.ListOptions) (runtime.Object, error) {
	f.asked = append(f.asked, *options)
	return f.list.DeepCopy(), nil
}

func (f *fakeSource) Watch(_ context.Context, options *metainternalversion.ListOptions) (watch.Interface, error) {
	f.watched = append(f.watched, *options)
	return f.watches[len(f.watched)-1], nil
}

// named is a schema of a user of its own.
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

// wrapped is a schema as the watch cache gives it to several watchers.
type wrapped struct{ *flowcontrol.FlowSchema }

var _ runtime.CacheableObject = wrapped{}

func (w wrapped) CacheEncode(runtime.Identifier, func(runtime.Object, io.Writer) error, io.Writer) error {
	return nil
}
func (w wrapped) GetObject() runtime.Object { return w.FlowSchema }

// startMirror returns a mirror of b and a, at version 5, which ends with the test.
func startMirror(t *testing.T) (*mirror, *fakeSource) {
	t.Helper()
	from := &fakeSource{list: flowcontrol.FlowSchemaList{
		ListMeta: metav1.ListMeta{ResourceVersion: "5"},
		Items:    []flowcontrol.FlowSchema{named("b", 4), named("a", 5)},
	}}
	for i := range from.watches {
		from.watches[i] = watch.NewRaceFreeFake()
	}
	m := newMirror(from)
	t.Cleanup(m.stop)
	return m, from
}

// requireAt looks for the schemas, name and version of each, at a version.
func requireAt(t *testing.T, m *mirror, version uint64, want ...string) {
	t.Helper()
	schemas, err := m.at(t.Context(), version, lint.Anybody)
	require.NoError(t, err)
	got := []string{}
	for _, schema := range schemas {
		got = append(got, schema.Name+schema.ResourceVersion)
	}
	require.Equal(t, want, got)
}

func TestMirrorFollowsTheSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, from := startMirror(t)
		requireAt(t, m, 0, "a5", "b4")
		events := from.watches[0]
		events.Add(event("ab", 6))
		requireAt(t, m, 6, "a5", "ab6", "b4")
		events.Modify(wrapped{event("b", 8)})
		requireAt(t, m, 8, "a5", "ab6", "b8")
		events.Delete(event("a", 9))
		requireAt(t, m, 9, "ab6", "b8")
		events.Action(watch.Bookmark, event("", 12))
		requireAt(t, m, 12, "ab6", "b8")

		require.Len(t, from.asked, 1)
		require.Equal(t, "0", from.asked[0].ResourceVersion, "what the watch cache has")
		require.Equal(t, "5", from.watched[0].ResourceVersion)
		require.True(t, from.watched[0].AllowWatchBookmarks)
	})
}

func TestMirrorListsAgainWhenItsWatchExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, from := startMirror(t)
		requireAt(t, m, 0, "a5", "b4")
		from.watches[0].Add(event("c", 6))
		requireAt(t, m, 6, "a5", "b4", "c6")
		from.list.ResourceVersion, from.list.Items = "20", []flowcontrol.FlowSchema{named("z", 20)}
		from.watches[0].Error(&metav1.Status{Status: metav1.StatusFailure, Code: 410, Reason: metav1.StatusReasonExpired})
		requireAt(t, m, 20, "z20")
		require.Equal(t, "6", from.asked[1].ResourceVersion, "not older than what is known")
	})
}

func TestMirrorThatIsStoppedFollowsNothing(t *testing.T) {
	m, from := startMirror(t)
	m.stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := m.at(ctx, 0, lint.Anybody)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, from.asked)
	m.stop()
}

// fed is a mirror that the test feeds by itself.
func fed(t *testing.T) *mirror {
	t.Helper()
	m, _ := startMirror(t)
	m.begin.Do(func() {})
	require.NoError(t, m.Replace([]any{event("b", 4), event("a", 5)}, "5"))
	return m
}

func TestMirrorIsNotReadBeforeItGotThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := fed(t)
		_, err := m.at(t.Context(), 6, lint.Anybody)
		require.ErrorContains(t, err, "version 6 of the FlowSchemas is not known after 3s")

		var read []*flowcontrol.FlowSchema
		go func() { read, _ = m.at(t.Context(), 7, lint.Anybody) }()
		synctest.Wait()
		require.NoError(t, m.Add(event("c", 6)))
		m.UpdateResourceVersion("6")
		synctest.Wait()
		require.Nil(t, read, "at version 6")
		require.NoError(t, m.Add(event("d", 7)))
		m.UpdateResourceVersion("7")
		synctest.Wait()
		require.Len(t, read, 4)
	})
}

func TestWhatWasReadOfTheMirrorStaysAsItWas(t *testing.T) {
	m := fed(t)
	before, err := m.at(t.Context(), 0, lint.Anybody)
	require.NoError(t, err)
	require.NoError(t, m.Delete(event("a", 6)))
	require.NoError(t, m.Update(event("b", 7)))
	requireAt(t, m, 0, "b7")
	require.Equal(t, "a", before[0].Name)
	require.Equal(t, "4", before[1].ResourceVersion)
}

func TestMirrorShowsThoseWhoMayMeet(t *testing.T) {
	m := fed(t)
	for _, name := range []string{"a", "b"} {
		found, err := m.at(t.Context(), 0, lint.UsersOf(event(name, 0)))
		require.NoError(t, err)
		require.Len(t, found, 1)
		require.Equal(t, name, found[0].Name)
	}
	moved := event("a", 6)
	moved.Spec.Rules = event("b", 0).Spec.Rules
	require.NoError(t, m.Update(moved))
	found, err := m.at(t.Context(), 0, lint.UsersOf(moved))
	require.NoError(t, err)
	require.Len(t, found, 2, "a changed subject counts")
	found, err = m.at(t.Context(), 0, 0)
	require.NoError(t, err)
	require.Empty(t, found, "nobody meets anybody")
}
