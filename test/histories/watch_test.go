package histories

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryBeginningOfTheTruthIsRight(t *testing.T) {
	history := told(t)
	for _, selector := range []Selector{nil, inA} {
		for _, after := range []int64{10, 13, 14, 19, 25} {
			events := history.Events(after, selector)
			for length := range len(events) + 1 {
				require.NoError(t, history.CheckWatch(Watch{Select: selector, After: after, Events: events[:length]}))
			}
		}
	}
}

func TestWrongWatchIsCaught(t *testing.T) {
	right := []Event{
		added("three", 11, "b"), modified("one", 13, "a"), modified("two", 15, "b"), deleted("one", 16, "a"), modified("two", 18, "a"),
	}
	instead := func(position int, event Event) []Event {
		events := slices.Clone(right)
		events[position] = event
		return events
	}
	for _, test := range []struct {
		name   string
		events []Event
		fault  string
	}{
		{"an event is lost", slices.Delete(slices.Clone(right), 1, 2), "lost or overtaken"},
		{"the first event is lost", right[1:], "lost or overtaken"},
		{"an event comes twice", slices.Insert(slices.Clone(right), 2, right[1]), "came again"},
		{"all events come twice", append(slices.Clone(right), right...), "came again"},
		{"two events change places", []Event{right[0], right[2], right[1]}, "lost or overtaken"},
		{"a deleted object is resurrected", instead(4, added("one", 17, "a")), "never happened"},
		{"an update of a deleted object comes", instead(4, modified("one", 17, "a")), "never happened"},
		{"a creation is called an update", instead(0, modified("three", 11, "b")), "never happened"},
		{"an update is called a creation", instead(1, added("one", 13, "a")), "never happened"},
		{"an object has the content of another version", instead(1, modified("one", 13, "b")), "never happened"},
		{"an event has the version of another", instead(1, modified("one", 12, "a")), "never happened"},
		{"what is deleted is shown otherwise than it was", instead(3, deleted("one", 16, "b")), "never happened"},
		{"what is deleted has the version of its last write", instead(3, deleted("one", 13, "a")), "never happened"},
		{"an event comes from nowhere at the end", append(slices.Clone(right), added("one", 20, "a"), deleted("one", 22, "a")), "never happened"},
		{"a bookmark promises what has not come", []Event{right[0], bookmark(13)}, "lies"},
		{"a bookmark comes before all and promises the end", []Event{bookmark(20)}, "lies"},
		{"a bookmark goes back", []Event{right[0], right[1], bookmark(12)}, "goes back"},
		{"a bookmark goes back behind a bookmark", []Event{bookmark(10), right[0], bookmark(12), bookmark(11)}, "goes back"},
		{"a bookmark goes back behind the beginning", []Event{bookmark(9)}, "goes back"},
		{"a bookmark closes initial events that nobody asked for", []Event{closing(10)}, "closes the initial events"},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.ErrorContains(t, told(t).CheckWatch(Watch{After: 10, Events: test.events}), test.fault)
		})
	}
	require.NoError(t, told(t).CheckWatch(Watch{After: 10, Events: slices.Concat([]Event{bookmark(10)}, right[:1], []Event{bookmark(12)}, right[1:], []Event{bookmark(19), bookmark(19)})}))
}

func TestWatchThatForgetsItsSelectorIsCaught(t *testing.T) {
	for name, events := range map[string][]Event{
		"an object of another set":                   {added("three", 11, "b")},
		"an object that left the set is modified":    {modified("one", 13, "a"), modified("two", 15, "b")},
		"an object that left the set just stays":     {modified("one", 13, "a"), deleted("one", 16, "a")},
		"an object that left is shown as it is now":  {modified("one", 13, "a"), deleted("two", 15, "b")},
		"an object that came into the set, modified": {modified("one", 13, "a"), deleted("two", 15, "a"), deleted("one", 16, "a"), modified("two", 18, "a")},
	} {
		t.Run(name, func(t *testing.T) {
			require.Error(t, told(t).CheckWatch(Watch{Select: inA, After: 10, Events: events}))
		})
	}
}

func TestWatchFromTheState(t *testing.T) {
	one, two, three := added("one", 13, "a"), added("two", 9, "a"), added("three", 11, "b")
	left := added("two", 15, "b")
	for _, test := range []struct {
		name   string
		watch  Watch
		faulty bool
	}{
		{"nothing has come", Watch{State: true}, false},
		{"the state in one order", Watch{State: true, Events: []Event{one, two, three}}, false},
		{"the state in another", Watch{State: true, Events: []Event{three, one, two}}, false},
		{"a part of the state", Watch{State: true, Events: []Event{three}}, false},
		{"the state and on", Watch{State: true, Events: []Event{three, one, left, deleted("one", 16, "a"), bookmark(17)}}, false},
		{"the state of a selection and on", Watch{Select: inA, State: true, Events: []Event{added("one", 8, "a"), two, modified("one", 13, "a")}}, false},
		{"an empty selection and on", Watch{Select: func(o Object) bool { return o.Name == "three" }, State: true, Events: []Event{three, bookmark(19)}}, false},
		{"the newest asked for and given", Watch{State: true, After: 14, Events: []Event{one, two, three}}, false},

		{"a state that never was", Watch{State: true, Events: []Event{added("one", 8, "a"), left}}, true},
		{"an object twice", Watch{State: true, Events: []Event{one, one}}, true},
		{"an object of the state missing", Watch{State: true, Events: []Event{one, two, deleted("one", 16, "a")}}, true},
		{"an event lost after the state", Watch{State: true, Events: []Event{one, two, three, deleted("one", 16, "a")}}, true},
		{"an event of the state again", Watch{State: true, Events: []Event{one, two, three, modified("one", 13, "a")}}, true},
		{"an older state than asked for", Watch{State: true, After: 15, Events: []Event{one, two, three}}, true},
		{"a part of an older state than asked for", Watch{State: true, After: 16, Events: []Event{one}}, true},
		{"a bookmark within the state", Watch{State: true, Events: []Event{one, bookmark(14), two, three}}, true},
		{"a bookmark older than the state", Watch{State: true, Events: []Event{one, two, three, bookmark(12)}}, true},
		{"an end of the state not asked for", Watch{State: true, Events: []Event{one, two, three, closing(14)}}, true},

		{"initial events and their end", Watch{Initial: true, After: 14, Events: []Event{one, two, three, closing(14), modified("two", 15, "b")}}, false},
		{"initial events, later ones, and the end", Watch{Initial: true, After: 14, Events: []Event{added("one", 8, "a"), two, three, modified("one", 13, "a"), closing(14)}}, false},
		{"initial events before their end", Watch{Initial: true, After: 14, Events: []Event{one}}, false},
		{"the end of initial events too early", Watch{Initial: true, After: 14, Events: []Event{one, two, closing(14), three}}, true},
		{"the end of initial events older than asked for", Watch{Initial: true, After: 15, Events: []Event{one, two, three, closing(14)}}, true},
		{"the end of initial events twice", Watch{Initial: true, Events: []Event{one, two, three, closing(14), closing(14)}}, true},
		{"a bookmark in place of the end", Watch{Initial: true, Events: []Event{one, two, three, bookmark(14)}}, true},
		{"the end of initial events promises too much", Watch{Initial: true, Events: []Event{one, two, three, closing(15)}}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := told(t).CheckWatch(test.watch)
			if test.faulty {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
		})
	}
}
