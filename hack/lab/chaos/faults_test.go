package chaos

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/histories"
)

// The objects of the run below.
const (
	builtIn = "catch-all"
	object  = "object"
	schema  = "schema"
)

// at returns the object of a version. Its token determines its content.
func at(version, token int64) histories.Object {
	return histories.Object{Name: object, Version: version, Content: content(token)}
}

func content(token int64) string { return string(rune('a' + token)) }

func written(version, token int64) Write {
	return Write{
		At: time.Duration(version) * time.Second, Resource: Levels, Name: object, Version: version, Token: token,
		Content: content(token), Spec: content(token),
	}
}

func acknowledged(client int, version, token int64) Ack {
	return Ack{Client: client, Resource: Levels, Name: object, Token: token, Version: version, Content: content(token)}
}

// operation is one that client 0 made when the version was written.
func operation(input Input, output Output, version int64) porcupine.Operation {
	input.Name = object
	return porcupine.Operation{Input: input, Output: output, Call: 10 * version, Return: 10*version + 1}
}

func done(version, token int64) Output {
	return Output{Result: Done, Token: token, Version: version, UID: "u"}
}

// recorded returns the record of a run without faults: an object is created at version
// 11, updated at 12 and 13, and read; a schema gets its status at version 15.
func recorded(t *testing.T) *Run {
	t.Helper()
	levels := histories.NewHistory(10, histories.Object{Name: builtIn, Version: 2, Content: "built-in"})
	replica := histories.NewReplica(10, []histories.Object{{Name: builtIn, Version: 2, Content: "built-in"}})
	watched := histories.Watch{After: 10}
	run := &Run{
		Histories: map[string]*histories.History{Levels: levels},
		Journal: Journal{
			First: []Write{{Resource: Levels, Name: builtIn, Version: 2, Content: "built-in", Spec: "built-in"}},
			Writes: []Write{
				written(11, 1), written(12, 2), written(13, 3),
				{At: 14 * time.Second, Resource: Schemas, Name: schema, Version: 14, Spec: "s", Level: object},
				{At: 15 * time.Second, Resource: Schemas, Name: schema, Version: 15, Spec: "s", Level: object, Dangling: "False"},
			},
		},
		Acks:    []Ack{acknowledged(0, 11, 1), acknowledged(0, 12, 2), acknowledged(1, 13, 3)},
		Lists:   []histories.List{{Version: 13, NotBefore: 12, Objects: []histories.Object{at(13, 3), {Name: builtIn, Version: 2, Content: "built-in"}}}},
		Reads:   []histories.Read{{Name: object, NotBefore: 12, Object: new(at(12, 2))}},
		Engines: []Engine{{"one", "sha256:1", []string{builtIn, object}}, {"two", "sha256:1", []string{object, builtIn}}},
		Rolls:   []Window{{Start: time.Second, End: 10 * time.Second}},
		Requests: []Request{
			{Start: 0, End: 2 * time.Second, What: "one that a fault before hit", Failure: "EOF", Kind: "no answer"},
			{Start: 2 * time.Second, End: 3 * time.Second},
			{Start: 3 * time.Second, End: 4 * time.Second, What: "get", Failure: "connection refused", Kind: "no connection", Retriable: true},
		},
		Operations: []porcupine.Operation{
			operation(Input{Verb: Create, Token: 1}, done(11, 1), 11),
			operation(Input{Verb: Update, Token: 2}, done(12, 2), 12),
			operation(Input{Verb: Update, Token: 3, Version: 12}, done(13, 3), 13),
			operation(Input{Verb: Read}, done(13, 3), 14),
		},
	}
	for i, kind := range []watch.EventType{watch.Added, watch.Modified, watch.Modified} {
		version, token := int64(11+i), int64(1+i)
		event := histories.Event{Type: kind, Version: version, Object: at(version, token)}
		require.NoError(t, levels.Append(histories.Change{Version: version, Name: object, Object: new(at(version, token))}))
		require.NoError(t, replica.Apply(event))
		watched.Events = append(watched.Events, event)
	}
	run.Watchers = []*Watcher{{Name: "watcher", Resource: Levels, Watches: []histories.Watch{watched}, Replica: replica}}
	return run
}

func TestARunWithoutFaultsIsRight(t *testing.T) {
	run := recorded(t)
	require.NoError(t, run.Check(time.Minute, t.TempDir()))
	require.Equal(t, 2, run.Rolled)
	require.Empty(t, run.Undecided)
}

// TestEveryFaultIsFound plants faults of a server in the record of a run.
func TestEveryFaultIsFound(t *testing.T) {
	for _, test := range []struct {
		name, found string
		plant       func(*Run)
	}{
		{"a write is acknowledged and not stored", "an acknowledged write was lost", func(r *Run) {
			r.Acks = append(r.Acks, acknowledged(1, 20, 4))
		}},
		{"what is stored is not what was acknowledged", "is not what is stored", func(r *Run) {
			r.Journal.Writes[1].Content = "other"
		}},
		{"an acknowledgement names the version of another write", "is not what is stored", func(r *Run) {
			r.Acks[1].Version = 13
		}},
		{"one version is given to two writes", "one version was given twice", func(r *Run) {
			r.Acks[2].Version = 12
		}},
		{"an update is applied twice", "a write was applied twice", func(r *Run) {
			r.Journal.Writes = append(r.Journal.Writes, written(16, 2))
		}},
		{"a client gets a lower version than before", "versions do not rise", func(r *Run) {
			r.Acks[0], r.Acks[1] = r.Acks[1], r.Acks[0]
		}},
		{"etcd goes back", "versions do not rise in etcd", func(r *Run) {
			r.Journal.Writes[4].Version = 14
		}},
		{"a read returns a value that was replaced", "is not linearizable", func(r *Run) {
			r.Operations[3].Output = done(12, 2)
		}},
		{"an event is dropped", "was lost or overtaken", func(r *Run) {
			events := r.Watchers[0].Watches[0].Events
			r.Watchers[0].Watches[0].Events = slices.Concat(events[:1], events[2:3])
		}},
		{"the last event never comes", "it ended at version", func(r *Run) {
			r.Watchers[0].Replica = histories.NewReplica(12, nil)
		}},
		{"an event is missed between two connections", "is missing", func(r *Run) {
			r.Watchers[0].Replica = histories.NewReplica(13, []histories.Object{at(13, 3)})
		}},
		{"a watcher has seen what cannot be", "it is not known", func(r *Run) {
			r.Watchers[0].Faults = []error{errors.New("MODIFIED: it is not known")}
		}},
		{"a watcher ends without a copy", "without a copy", func(r *Run) { r.Watchers[0].Replica = nil }},
		{"a list lacks an object", "is missing", func(r *Run) { r.Lists[0].Objects = nil }},
		{"a list is older than what the client knew", "should be of 14 or later", func(r *Run) { r.Lists[0].NotBefore = 14 }},
		{"a read from the cache is older than what the client knew", "never was from version 13 on", func(r *Run) {
			r.Reads[0].NotBefore = 13
		}},
		{"the keeper writes a built-in object", "a built-in object was written", func(r *Run) {
			r.Journal.Writes = append(r.Journal.Writes, Write{Resource: Levels, Name: builtIn, Version: 16, Spec: "kept"})
		}},
		{"a built-in object is deleted", "a built-in object was written", func(r *Run) {
			r.Journal.Writes = append(r.Journal.Writes, Write{Resource: Levels, Name: builtIn, Version: 16, Deleted: true})
		}},
		{"servers write a status again and again", "there is reason for", func(r *Run) {
			for i := range int64(20) {
				again := r.Journal.Writes[4]
				again.Version = 16 + i
				r.Journal.Writes = append(r.Journal.Writes, again)
			}
		}},
		{"an engine has missed a level", "enforces the levels", func(r *Run) { r.Engines[1].Levels = []string{builtIn} }},
		{"an engine has an old specification", "and the engine of one", func(r *Run) { r.Engines[1].Hash = "sha256:2" }},
		{"a rolling restart cuts a request off", "failed during a rolling restart", func(r *Run) { r.Requests[2].Retriable = false }},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := recorded(t)
			test.plant(run)
			require.ErrorContains(t, run.Check(time.Minute, t.TempDir()), test.found)
		})
	}
}

// TestWhatFaultsExplainIsRight is about lost answers, as of a server that was killed, and what
// follows from them.
func TestWhatFaultsExplainIsRight(t *testing.T) {
	for _, test := range []struct {
		name    string
		explain func(*Run)
	}{
		{"a write without an answer may be stored", func(r *Run) {
			r.Acks = r.Acks[:2]
			r.Operations[2].Output, r.Operations[2].Return = Output{Result: Unknown}, math.MaxInt64
		}},
		{"a schema is written by a client, and gets a status", func(r *Run) {
			r.Journal.Writes = append(r.Journal.Writes,
				Write{At: time.Minute, Resource: Schemas, Name: schema, Version: 16, Spec: "t", Token: 9, Level: object, Dangling: "False"},
				Write{At: time.Minute, Resource: Schemas, Name: schema, Version: 17, Spec: "t", Token: 9, Level: object, Dangling: "True"})
		}},
		{"a status follows its level, which comes and goes", func(r *Run) {
			for i := range int64(6) {
				level := written(16+2*i, 10+i)
				level.Deleted = i%2 == 0
				status := r.Journal.Writes[4]
				status.Version = level.Version + 1
				r.Journal.Writes = append(r.Journal.Writes, level, status)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := recorded(t)
			test.explain(run)
			require.NoError(t, run.Check(time.Minute, t.TempDir()))
		})
	}
}
