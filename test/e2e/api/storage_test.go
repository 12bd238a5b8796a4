package api

import (
	"fmt"
	"slices"
	"strings"
)

// collected is why cases have no peer: they end where only a server without a
// garbage collector ends them.
const collected = "kube-apiserver leaves finalizers to the garbage collector of its cluster, which this server alone does not have"

// watch is the path of a watch of the levels with the given options.
func watch(options string) string { return "prioritylevelconfigurations?watch=true&" + options }

// storageTheme tests how both resources are stored, selected, watched and deleted.
func storageTheme() theme {
	const all, one, dry = "prioritylevelconfigurations", "prioritylevelconfigurations/a", "?dryRun=All"
	create, gone := post(all, level("a", 1)), get(one).gives(404)
	brings := func(finalizers ...any) step {
		return post(all, having(level("a", 1), "metadata.finalizers", finalizers))
	}
	return theme{"storage", []testCase{
		{
			name: "names and labels select, other fields are rejected",
			steps: []step{
				post(all, labelled(level("a", 1), "team=red")), post(all, labelled(level("b", 2), "team=blue")),
				get(all + "?labelSelector=team%3Dred").saying(`"a"`).without(`"b"`), get(all + "?fieldSelector=metadata.name%3Da").saying(`"a"`).without(`"b"`),
				get(all+"?fieldSelector=spec.type%3DLimited").gives(400).saying("spec.type", "metadata.name"), get("flowschemas?fieldSelector=spec.matchingPrecedence%3D1").gives(400),
				get("flowschemas?fieldSelector=metadata.namespace%3D").gives(400).saying("metadata.name"), remove(all+"?fieldSelector=spec.type%3DLimited", "").gives(400).writesNothing(),
			},
		},
		{
			name: "versions from the future",
			steps: []step{
				get(all + "?resourceVersionMatch=Exact&resourceVersion=<future>").gives(504).saying("Too large resource version"),
				open("w", watch("resourceVersion=<future>&timeoutSeconds=1")).gives(410).saying("Expired"),
			},
		},
		{
			name: "a watch tells what other verbs wrote",
			steps: []step{
				open("w", watch("resourceVersion=<before>")), open("red", watch("resourceVersion=<before>&labelSelector=team%3Dred")), open("p", watch("resourceVersion=<before>")).with("Accept", protobufType),
				post(all, labelled(level("a", 1), "team=red")), put(one, level("a", 5)),
				patch("merge", one+"/status", `{"status":{"conditions":[{"type":"T","status":"True"}]}}`), patch("apply", one+"?fieldManager=m&force=true", labelled(level("a", 6), "team=red")),
				patch("merge", one, `{}`).writesNothing(), patch("merge", one, `{"metadata":{"finalizers":["example.org/x"]}}`), remove(one, ""), patch("merge", one, `{"metadata":{"finalizers":null}}`),
				read("w", 7).saying("ADDED", "MODIFIED", "DELETED"), read("red", 6).saying("ADDED", "DELETED"), read("p", 7),
			},
		},
		{
			name: "initial events, closed by a bookmark",
			steps: []step{
				create, open("w", watch("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&fieldSelector=metadata.name%3Da")),
				read("w", 2).saying("ADDED", "BOOKMARK", "k8s.io/initial-events-end"),
			},
		},
		{
			name: "a dry run of every verb writes nothing",
			steps: []step{
				brings("example.org/x"), post(all+dry, level("new", 1)).saying("uid").writesNothing(), post(all+dry, level("a", 1)).gives(409), post(all+dry, level("new", -1)).gives(422),
				put(one+dry, level("a", 2)).saying(`"generation":2`).writesNothing(), put(one+"/status"+dry, having(level("a", 1), "status.conditions", conditions("T"))).writesNothing(),
				patch("merge", one+dry, `{"spec":{"limited":{"nominalConcurrencyShares":3}}}`).writesNothing(), patch("apply", one+dry+"&fieldManager=m&force=true", level("a", 9)).writesNothing(),
				remove(one+dry, "").saying("deletionTimestamp").writesNothing(), remove(all+dry+"&fieldSelector=metadata.name%3Da", "").writesNothing(),
			},
		},
		{
			name: "finalizers delay the end",
			steps: []step{
				brings("example.org/one", "example.org/two"), remove(one, "").saying("deletionTimestamp"), remove(one, "").writesNothing(), patch("merge", one, `{"spec":{"limited":{"nominalConcurrencyShares":2}}}`),
				post(all, level("a", 1)).gives(409), patch("merge", one, `{"metadata":{"finalizers":["example.org/two"]}}`), get(one), patch("merge", one, `{"metadata":{"finalizers":null}}`), gone,
			},
		},
		{
			name: "propagation without a garbage collector", alone: collected,
			steps: slices.Concat(
				[]step{create, remove(one, `{"propagationPolicy":"Foreground"}`).saying("Success"), gone, create, remove(one+"?propagationPolicy=Orphan", "").saying("Success"), gone},
				[]step{create, remove(one, `{"orphanDependents":true}`).saying("Success"), gone, brings("orphan"), remove(one, "").saying("Success"), gone},
				[]step{brings("foregroundDeletion"), remove(one, `{"propagationPolicy":"Foreground"}`).saying("Success"), gone},
				[]step{brings("example.org/x", "orphan"), remove(one, "").saying("deletionTimestamp", `"finalizers":["example.org/x"]`), patch("merge", one, `{"metadata":{"finalizers":null}}`), gone},
				[]step{brings("orphan"), remove(all+"?fieldSelector=metadata.name%3Da", `{"propagationPolicy":"Foreground"}`), gone},
			),
		},
		{
			name: "an object that is too large for etcd",
			steps: []step{
				post("flowschemas", ofUsers(9_000)).gives(413).saying("at most 1.5 MiB", "--max-request-bytes of etcd, which helps up to 2 MiB").writesNothing(),
				post("flowschemas", ofUsers(11_000)).gives(413).saying("at most 2 MiB to etcd, whatever etcd accepts").writesNothing(),
			},
		},
		{
			name: "a body over the limit",
			steps: []step{
				post(all, having(level("a", 1), "metadata.annotations", map[string]any{"x": strings.Repeat("x", 4<<20)})).gives(413).writesNothing(),
				post(all, having(level("a", 1), "metadata.annotations", map[string]any{"x": strings.Repeat("x", 300<<10)})).gives(422).writesNothing(),
				patch("merge", "prioritylevelconfigurations/exempt", `{"x":"`+strings.Repeat("x", 4<<20)+`"}`).gives(413),
			},
		},
	}}
}

// ofUsers is a flow schema of many users, each of more than 200 bytes.
func ofUsers(n int) string {
	return having(flowSchema("large"), "spec.rules", []any{map[string]any{
		"subjects":         manyUsers(n),
		"nonResourceRules": []any{map[string]any{"verbs": []any{"*"}, "nonResourceURLs": []any{"*"}}},
	}})
}

// manyUsers are subjects with names of 200 bytes.
func manyUsers(n int) []any {
	users := make([]any, n)
	for i := range users {
		users[i] = map[string]any{"kind": "User", "user": map[string]any{"name": fmt.Sprintf("%0200d", i)}}
	}
	return users
}
