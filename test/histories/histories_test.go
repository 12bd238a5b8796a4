package histories

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// object returns an object whose content is a text.
func object(name string, version int64, content string) Object {
	return Object{Name: name, Version: version, Content: content}
}

// told is the history of these tests:
//
//	10 one and two are there
//	11 three is created
//	13 one changes
//	16 one is deleted
//	20 one is created again
func told(t *testing.T) *History {
	t.Helper()
	history := NewHistory(10, object("one", 8, "a"), object("two", 9, "a"))
	for _, change := range []Change{
		{11, "three", new(object("three", 11, "a"))}, {13, "one", new(object("one", 13, "b"))}, {16, "one", nil}, {20, "one", new(object("one", 20, "a"))},
	} {
		require.NoError(t, history.Append(change))
	}
	return history
}

func event(kind watch.EventType, name string, version int64, content string) Event {
	return Event{Type: kind, Version: version, Object: object(name, version, content)}
}

func bookmark(version int64) Event { return Event{Type: watch.Bookmark, Version: version} }

// right returns the events after version 10.
func right() []Event {
	return []Event{
		event(watch.Added, "three", 11, "a"), event(watch.Modified, "one", 13, "b"), event(watch.Deleted, "one", 16, "b"), event(watch.Added, "one", 20, "a"),
	}
}

func TestHistoryHasStatesAndEvents(t *testing.T) {
	history := told(t)
	require.Equal(t, State{"one": object("one", 8, "a"), "two": object("two", 9, "a")}, history.At(10))
	require.Equal(t, State{"two": object("two", 9, "a"), "three": object("three", 11, "a")}, history.At(17))
	require.Equal(t, right(), history.Events(10))
	require.Empty(t, history.Events(20))
	require.ErrorContains(t, history.Append(Change{20, "one", nil}), "cannot follow")
}

func TestWrongWatchIsCaught(t *testing.T) {
	for length := range len(right()) + 1 {
		require.NoError(t, told(t).CheckWatch(Watch{After: 10, Events: right()[:length]}))
	}
	require.NoError(t, told(t).CheckWatch(Watch{After: 10, Events: slices.Concat([]Event{bookmark(10)}, right()[:1], []Event{bookmark(12)}, right()[1:])}))
	instead := func(position int, event Event) []Event {
		events := right()
		events[position] = event
		return events
	}
	for _, test := range []struct {
		name   string
		events []Event
		fault  string
	}{
		{"an event is lost", slices.Delete(right(), 1, 2), "lost or overtaken"},
		{"an event comes twice", slices.Insert(right(), 2, right()[1]), "came again"},
		{"a deleted object is resurrected", instead(3, event(watch.Added, "one", 17, "b")), "never happened"},
		{"a creation is called an update", instead(0, event(watch.Modified, "three", 11, "a")), "never happened"},
		{"an object has the content of another version", instead(1, event(watch.Modified, "one", 13, "a")), "never happened"},
		{"what is deleted is shown otherwise than it was", instead(2, event(watch.Deleted, "one", 16, "a")), "never happened"},
		{"an event comes from nowhere at the end", append(right(), event(watch.Deleted, "one", 22, "a")), "never happened"},
		{"a bookmark promises what has not come", []Event{right()[0], bookmark(13)}, "lies"},
		{"a bookmark goes back", []Event{right()[0], bookmark(10)}, "goes back"},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.ErrorContains(t, told(t).CheckWatch(Watch{After: 10, Events: test.events}), test.fault)
		})
	}
}

func TestWrongListsAndReadsAreCaught(t *testing.T) {
	at13 := []Object{object("three", 11, "a"), object("one", 13, "b"), object("two", 9, "a")}
	require.NoError(t, told(t).CheckList(List{Version: 13, NotBefore: 12, Objects: at13}))
	for fault, list := range map[string]List{
		"should be of 14 or later": {Version: 13, NotBefore: 14, Objects: at13},
		"is missing":               {Version: 13, Objects: at13[1:]},
		"should not be there":      {Version: 16, Objects: at13},
		"should be one@8":          {Version: 12, Objects: at13},
		"twice":                    {Version: 13, Objects: append(slices.Clone(at13), at13[0])},
	} {
		require.ErrorContains(t, told(t).CheckList(list), fault)
	}
	for _, right := range []Read{{"one", 14, new(object("one", 13, "b"))}, {"one", 14, new(object("one", 20, "a"))}, {"one", 14, nil}, {"three", 10, nil}} {
		require.NoError(t, told(t).CheckRead(right))
	}
	for _, wrong := range []Read{{"one", 14, new(object("one", 8, "a"))}, {"one", 16, new(object("one", 13, "b"))}, {"three", 11, nil}, {"one", 14, new(object("one", 13, "a"))}} {
		require.ErrorContains(t, told(t).CheckRead(wrong), "never was")
	}
}

func TestReplicaFollowsWhatAClientCanFollow(t *testing.T) {
	replica := NewReplica(10, []Object{object("one", 8, "a"), object("two", 9, "a")})
	for _, event := range right() {
		require.NoError(t, replica.Apply(event))
	}
	require.NoError(t, replica.Apply(bookmark(30)))
	require.EqualValues(t, 30, replica.Version())
	require.NoError(t, replica.Compare([]Object{object("one", 20, "a"), object("two", 9, "a"), object("three", 11, "a")}))
	require.Error(t, replica.Compare(nil))
	for fault, wrong := range map[string]Event{
		"one@31(b): one@20(a) is known": event(watch.Added, "one", 31, "b"), "it is not known": event(watch.Modified, "four", 31, "a"),
		"after version 30": bookmark(29), "no event": {Type: "RENAMED", Version: 31},
	} {
		require.ErrorContains(t, replica.Apply(wrong), fault)
	}
}

func level(version string, shares int32) *flowcontrolv1.PriorityLevelConfiguration {
	return &flowcontrolv1.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "level", ResourceVersion: version},
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type:    flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{NominalConcurrencyShares: &shares},
		},
	}
}

func TestContentIsAllButTheVersions(t *testing.T) {
	one, err := ObjectOf(level("7", 3))
	require.NoError(t, err)
	require.EqualValues(t, 7, one.Version)
	later, err := ObjectOf(level("8", 3))
	require.NoError(t, err)
	require.Equal(t, one.Content, later.Content)
	other, err := ObjectOf(level("7", 4))
	require.NoError(t, err)
	require.NotEqual(t, one.Content, other.Content)
	old, err := ObjectOf(&flowcontrolv1beta3.PriorityLevelConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: "flowcontrol.apiserver.k8s.io/v1beta3", Kind: "PriorityLevelConfiguration"},
		ObjectMeta: level("7", 3).ObjectMeta,
		Spec: flowcontrolv1beta3.PriorityLevelConfigurationSpec{
			Type:    flowcontrolv1beta3.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1beta3.LimitedPriorityLevelConfiguration{NominalConcurrencyShares: 3},
		},
	})
	require.NoError(t, err)
	require.Equal(t, one.Content, old.Content, "v1beta3 says the same otherwise")

	_, err = ObjectOf(level("", 3))
	require.ErrorContains(t, err, "resourceVersion")
	_, err = EventOf(watch.Event{Type: watch.Bookmark, Object: level("x", 0)})
	require.ErrorContains(t, err, "bookmark")
	_, _, err = ListOf(&flowcontrolv1.FlowSchemaList{})
	require.ErrorContains(t, err, "list")
}
