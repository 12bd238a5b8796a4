package histories

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/watch"
)

// object returns an object whose content is its set and its version.
func object(name string, version int64, set string) *Object {
	return &Object{Name: name, Version: version, Content: set, Labels: map[string]string{"set": set}}
}

// inA selects the objects of set a.
func inA(object Object) bool { return object.Labels["set"] == "a" }

// told is the history of these tests:
//
//	10 one and two are there, both in set a
//	11 three is created in set b
//	13 one changes
//	15 two moves to set b
//	16 one is deleted
//	18 two moves back to set a
//	20 one is created again
func told(t *testing.T) *History {
	t.Helper()
	history := NewHistory(10, *object("one", 8, "a"), *object("two", 9, "a"))
	for _, change := range []Change{
		{11, "three", object("three", 11, "b")},
		{13, "one", object("one", 13, "a")},
		{15, "two", object("two", 15, "b")},
		{16, "one", nil},
		{18, "two", object("two", 18, "a")},
		{20, "one", object("one", 20, "a")},
	} {
		require.NoError(t, history.Append(change))
	}
	return history
}

// These functions return events, correct and wrong ones.
func added(name string, version int64, set string) Event {
	return Event{Type: watch.Added, Version: version, Object: *object(name, version, set)}
}

func modified(name string, version int64, set string) Event {
	return Event{Type: watch.Modified, Version: version, Object: *object(name, version, set)}
}

func deleted(name string, version int64, set string) Event {
	return Event{Type: watch.Deleted, Version: version, Object: *object(name, version, set)}
}

func bookmark(version int64) Event { return Event{Type: watch.Bookmark, Version: version} }

func closing(version int64) Event {
	return Event{Type: watch.Bookmark, Version: version, InitialEnd: true}
}

func TestStateIsThatOfTheVersion(t *testing.T) {
	history := told(t)
	require.Equal(t, State{"one": *object("one", 8, "a"), "two": *object("two", 9, "a")}, history.At(10))
	require.Equal(t, State{"one": *object("one", 13, "a"), "two": *object("two", 15, "b"), "three": *object("three", 11, "b")}, history.At(15))
	require.Equal(t, State{"two": *object("two", 15, "b"), "three": *object("three", 11, "b")}, history.At(17))
	require.Equal(t, history.At(20), history.At(99))
	require.EqualValues(t, 20, history.Last())
	require.Equal(t, 6, history.Len())
}

func TestHistoryTakesOnlyRisingVersions(t *testing.T) {
	history := told(t)
	require.ErrorContains(t, history.Append(Change{20, "one", nil}), "cannot follow")
	require.ErrorContains(t, NewHistory(5).Append(Change{5, "one", nil}), "cannot follow")
}

func TestEventsFollowTheSelector(t *testing.T) {
	history := told(t)
	require.Equal(t, []Event{
		added("three", 11, "b"), modified("one", 13, "a"), modified("two", 15, "b"), deleted("one", 16, "a"),
		modified("two", 18, "a"), added("one", 20, "a"),
	}, history.Events(10, nil))
	require.Equal(t, []Event{
		modified("one", 13, "a"), deleted("two", 15, "a"), deleted("one", 16, "a"), added("two", 18, "a"), added("one", 20, "a"),
	}, history.Events(10, inA), "what leaves the set is deleted, as it was; what enters it is added")
	require.Equal(t, []Event{added("two", 18, "a"), added("one", 20, "a")}, history.Events(16, inA))
	require.Empty(t, history.Events(20, nil))
}
