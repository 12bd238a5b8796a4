package histories

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReplicaBecomesTheState(t *testing.T) {
	history := told(t)
	for _, selector := range []Selector{nil, inA} {
		replica := NewReplica(10, []Object{*object("one", 8, "a"), *object("two", 9, "a")})
		for _, event := range history.Events(10, selector) {
			require.NoError(t, replica.Apply(event))
			require.Equal(t, event.Version, replica.Version())
			require.Empty(t, history.At(event.Version).selected(selector).difference(replica.state))
			require.NoError(t, replica.Compare(replica.Objects()))
		}
		require.Error(t, replica.Compare(replica.Objects()[1:]))
		require.NoError(t, replica.Apply(bookmark(30)))
		require.EqualValues(t, 30, replica.Version())
	}
}

func TestReplicaRejectsWhatNoClientCanFollow(t *testing.T) {
	for _, test := range []struct {
		name  string
		event Event
		fault string
	}{
		{"a creation of what is known", added("one", 13, "a"), "is known"},
		{"an update of what is not", modified("three", 13, "a"), "not known"},
		{"a deletion of what is not", deleted("three", 13, "a"), "not known"},
		{"the version that was seen", modified("one", 12, "a"), "after version 12"},
		{"an older version", modified("one", 11, "a"), "after version 12"},
		{"a bookmark of an older version", bookmark(11), "after version 12"},
		{"an event of no kind", Event{Type: "RENAMED", Version: 13}, "no event"},
	} {
		t.Run(test.name, func(t *testing.T) {
			replica := NewReplica(12, []Object{*object("one", 8, "a")})
			require.ErrorContains(t, replica.Apply(test.event), test.fault)
		})
	}
}

func TestReplicaFillsWithInitialEvents(t *testing.T) {
	replica := NewInitialReplica()
	for _, event := range []Event{added("three", 11, "b"), added("one", 8, "a"), modified("one", 13, "a")} {
		require.NoError(t, replica.Apply(event))
		require.False(t, replica.Complete())
	}
	require.Error(t, replica.Apply(modified("one", 13, "a")), "twice")
	require.Error(t, replica.Apply(added("one", 20, "a")), "known")
	require.NoError(t, replica.Apply(closing(14)))
	require.True(t, replica.Complete())
	require.EqualValues(t, 14, replica.Version())
	require.ErrorContains(t, replica.Apply(modified("one", 14, "a")), "after version 14")
}
