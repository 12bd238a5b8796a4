package api

import (
	"slices"
	"strings"
)

// deleteDetailTheme tests edge cases of deletions.
func deleteDetailTheme() theme {
	const all, one = "prioritylevelconfigurations", "prioritylevelconfigurations/a"
	create := post(all, labelled(level("a", 1), "set=x")).keep("uid", "metadata.uid").keep("old", "metadata.resourceVersion")
	held := post(all, labelled(having(level("a", 1), "metadata.finalizers", []any{"example.org/x"}), "set=x")).keep("uid", "metadata.uid").keep("old", "metadata.resourceVersion")
	free, gone := patch("merge", one, `{"metadata":{"finalizers":null}}`), get(one).gives(404)
	return theme{"deletion details", append([]testCase{
		{
			name: "preconditions of what is held", proves: []string{"verbs.preconditions", "verbs.finalizers"},
			steps: []step{
				held, remove(one, `{"preconditions":{"uid":"<uid>","resourceVersion":"<old>"}}`).saying("deletionTimestamp").keep("now", "metadata.resourceVersion"),
				remove(one, `{"preconditions":{"resourceVersion":"<old>"}}`).gives(409), remove(one, `{"preconditions":{"resourceVersion":"<now>"}}`).writesNothing(), remove(one, `{"preconditions":{"uid":"other"}}`).gives(409),
				remove(one, `{"preconditions":{}}`).writesNothing(),
				free, gone, remove(one, `{"preconditions":{"uid":"<uid>"}}`).gives(404), create, remove(one, `{"preconditions":{"resourceVersion":"nonsense"}}`).gives(409), remove(one, `{"preconditions":{"resourceVersion":""}}`).gives(409),
				remove(one, `{"preconditions":{"uid":""}}`).gives(409), remove(one, `{"preconditions":null}`), gone,
			},
		},
		{
			name: "a collection of preconditions", proves: []string{"verbs.preconditions", "verbs.deletecollection"},
			steps: []step{
				create, post(all, labelled(level("b", 1), "set=x")),
				remove(all+"?labelSelector=set", `{"preconditions":{"uid":"other"}}`).gives(409), get(one), get(all + "/b"), remove(all+"?fieldSelector=metadata.name%3Da", `{"preconditions":{"uid":"<uid>"}}`), gone,
			},
		},
		{
			name: "finalizers are names with a domain", proves: []string{"verbs.finalizers", "valid.invalid"},
			steps: []step{
				post(all, having(level("a", 1), "metadata.finalizers", []any{"plain"})).gives(422), post(all, having(level("a", 1), "metadata.finalizers", []any{"example.org/Bad Name"})).gives(422),
				post(all, having(level("a", 1), "metadata.finalizers", []any{"example.org/x", ""})).gives(422),
				post(all, having(level("a", 1), "metadata.finalizers", []any{"orphan", "foregroundDeletion"})).gives(422), post(all, having(level("b", 1), "metadata.finalizers", []any{"kubernetes"})),
				post(all, having(level("a", 1), "metadata.finalizers", []any{"example.org/x", "example.org/x"})), remove(one, ""), put(one, level("a", 1)), gone,
			},
		},
		{
			name: "writes to what is being deleted", proves: []string{"verbs.finalizers", "verbs.generation", "verbs.already-exists"},
			steps: []step{
				held, remove(one, "").saying(`"generation":2`), get(one).saying("deletionTimestamp").keep("when", "metadata.deletionTimestamp"), patch("merge", one, `{"metadata":{"deletionTimestamp":null}}`).saying("deletionTimestamp"),
				put(one, having(level("a", 2), "metadata.finalizers", []any{"example.org/x"})).saying("deletionTimestamp"), patch("merge", one+"/status", `{"status":{"conditions":[{"type":"T","status":"True"}]}}`).saying(`"T"`),
				patch("merge", one, `{"metadata":{"finalizers":["example.org/x","example.org/y"]}}`).gives(422), patch("merge", one, `{"metadata":{"deletionGracePeriodSeconds":30}}`).gives(422),
				post(all, level("a", 1)).gives(409).saying("object is being deleted"), post(all, having(having(level("", 1), "metadata.name", nil), "metadata.generateName", "generated-")).keep("name", "metadata.name"), remove(all+"/<name>", ""),
				remove(all+"?labelSelector=set", "").writesNothing(), put(one, level("a", 3)), gone,
			},
		},
		{
			name: "a deletion is watched", proves: []string{"verbs.finalizers", "watch.exact"},
			steps: []step{
				open("w", watch("resourceVersion=<before>")), held, remove(one, ""), free, create, remove(one, `{"propagationPolicy":"Background"}`),
				read("w", 5).saying("ADDED", "MODIFIED", "deletionTimestamp", "DELETED"),
			},
		},
		{
			name: "policies change while it is held", proves: []string{"verbs.propagation"},
			steps: []step{
				held, remove(one, `{"propagationPolicy":"Background"}`).without("orphan"), remove(one, ""), remove(one, `{"orphanDependents":false}`).gives(202).without(`"orphan"`), free, gone,
				post(all, having(level("a", 1), "metadata.ownerReferences", []any{owner("one")})), remove(one, `{"propagationPolicy":""}`).gives(422),
				remove(one+"?propagationPolicy=", "").gives(422), remove(one, ""), gone,
			},
		},
		{
			name: "policies change while it is held, without a garbage collector", proves: []string{"verbs.propagation"}, alone: collected,
			steps: []step{
				held, remove(one, `{"propagationPolicy":"Foreground"}`).saying("deletionTimestamp").without("foregroundDeletion"), remove(one, `{"propagationPolicy":"Orphan"}`).without(`"orphan"`),
				remove(one, `{"orphanDependents":true}`).without(`"orphan"`), remove(one+"?dryRun=All", `{"propagationPolicy":"Foreground"}`).without("foregroundDeletion").writesNothing(), free, gone,
				create, remove(one, `{"dryRun":["All"],"propagationPolicy":"Foreground"}`).writesNothing(), get(one).without("deletionTimestamp"),
				post(all, having(level("b", 1), "metadata.ownerReferences", []any{owner("one")})), remove(all+"/b", `{"propagationPolicy":"Foreground"}`), get(all + "/b").gives(404),
			},
		},
		{
			name: "grace is not for these kinds", proves: []string{"verbs.propagation"},
			steps: []step{
				create, remove(one+"?gracePeriodSeconds=30", ""), gone, held, remove(one, `{"gracePeriodSeconds":30}`).saying(`"deletionGracePeriodSeconds":0`), remove(one+"?gracePeriodSeconds=0", "").writesNothing(), free, gone,
				create, remove(one+"?gracePeriodSeconds=soon", "").gives(400), remove(one, `{"gracePeriodSeconds":"soon"}`).gives(400), remove(one, `{"gracePeriodSeconds":99999999999999999999}`).gives(400),
				remove(one, `{"gracePeriodSeconds":1.5}`).gives(400), remove(one, `{"gracePeriodSeconds":-5,"propagationPolicy":"Background"}`), gone,
			},
		},
	}, append(collectionCases(), deleteBodyCases()...)...)}
}

func collectionCases() []testCase {
	const all = "prioritylevelconfigurations"
	var create []step
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		create = append(create, post(all, labelled(level(name, 1), "set=x", "name="+name)))
	}
	held := post(all, labelled(having(level("h", 1), "metadata.finalizers", []any{"example.org/x"}), "set=x"))
	return []testCase{
		{
			name: "a collection in pieces", proves: []string{"verbs.deletecollection", "list.chunks"},
			steps: append(slices.Clip(create),
				get(all+"?labelSelector=set&limit=2").keep("more", "metadata.continue"), remove(all+"?labelSelector=set&limit=2&continue=<more>", "").saying(`"c"`, `"d"`).without(`"name":"e"`),
				remove(all+"?labelSelector=set&limit=1", "").saying(`"name":"a"`), remove(all+"?labelSelector=set&continue=broken", "").gives(400).writesNothing(), remove(all+"?labelSelector=set&limit=-1", ""), list("labelSelector=set").saying(`"items":[]`)),
		},
		{
			name: "a collection of some version", proves: []string{"verbs.deletecollection"},
			steps: append(slices.Clip(create),
				remove(all+"?labelSelector=set&resourceVersion=<future>", "").gives(504).writesNothing(), remove(all+"?labelSelector=set&resourceVersion=nonsense", "").gives(400),
				remove(all+"?labelSelector=set%3Dx,name+in+(a,b)", "").saying(`"a"`, `"b"`), remove(all+"?labelSelector==,", "").gives(400),
				remove(all+"?fieldSelector=metadata.name%3Dnone", "").writesNothing(), list("labelSelector=set")),
		},
		{
			name: "a collection with held objects", proves: []string{"verbs.deletecollection", "verbs.finalizers", "verbs.propagation"},
			steps: append(append([]step{held}, create...),
				remove(all+"?labelSelector=set,!name", `{"propagationPolicy":"Background"}`).saying(`"h"`), get(all+"/h").saying("deletionTimestamp"), remove(all+"?labelSelector=set,!name&propagationPolicy=Background", ""),
				remove(all+"?labelSelector=set", "").saying(`"h"`, `"e"`), list("labelSelector=set").saying(`"h"`).without(`"name":"e"`),
				patch("merge", all+"/h", `{"metadata":{"finalizers":null}}`), list("labelSelector=set").without(`"h"`)),
		},
		{
			name: "a collection that is shown in other forms", proves: []string{"verbs.deletecollection", "repr.partial", "repr.table", "repr.protobuf"},
			steps: append(slices.Clip(create),
				remove(all+"?labelSelector=name%3Da", "").with("Accept", protobufType), remove(all+"?labelSelector=name%3Db", "").with("Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"),
				remove(all+"?labelSelector=name%3Dc", "").with("Accept", "application/yaml"), remove(all+"?labelSelector=set&pretty=true", "")),
		},
		{
			name: "collections of what is built in", proves: []string{"verbs.deletecollection"},
			// A finalizer holds the object: both servers would restore a deleted
			// built-in object, at different times.
			steps: []step{
				patch("merge", "flowschemas/probes", `{"metadata":{"finalizers":["example.org/x"]}}`),
				remove("flowschemas?fieldSelector=metadata.name%3Dprobes", "").saying("probes"), get("flowschemas/probes").saying("deletionTimestamp"),
				remove("flowschemas?fieldSelector=metadata.name%3Dprobes", "").writesNothing(), remove(all+"?limit=1&dryRun=All", "").writesNothing(),
			},
		},
	}
}

func deleteBodyCases() []testCase {
	const one = "prioritylevelconfigurations/a"
	create := post("prioritylevelconfigurations", level("a", 1))
	rejected := func(body string) step { return remove(one, body).gives(400).writesNothing() }
	return []testCase{
		{
			name: "options of every version and form", proves: []string{"verbs.resource", "repr.yaml"},
			steps: []step{
				create, remove(one, `{"kind":"DeleteOptions","apiVersion":"v1"}`), create, remove(one, `{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1","propagationPolicy":"Background"}`), create,
				remove(one, `{"kind":"DeleteOptions","apiVersion":"flowcontrol.apiserver.k8s.io/v1"}`),
				create, remove(one, "{}"), create, inYAML("DELETE", one, "propagationPolicy: Background\n"), create, remove(one, `{"apiVersion":"v1"}`), create, remove(one, `{"kind":"DeleteOptions","apiVersion":"v7"}`), create,
				remove(one, "null"), create, remove(one, "{}").with("Content-Type", ""), create, remove(one, "   \n").gives(400), remove(one, ""),
			},
		},
		{
			name: "options that are none", proves: []string{"valid.bad-body", "valid.wrong-kind"},
			steps: []step{
				create, rejected(`{"kind":"Poem","apiVersion":"v1"}`), rejected(`{"kind":"Status","apiVersion":"v1"}`), rejected(`"text"`), rejected(`{"propagationPolicy":7}`), rejected(`{"preconditions":[]}`),
				rejected(`{"orphanDependents":"yes"}`), rejected(strings.Repeat("[", 50_000)), rejected("{}{"), remove(one, "k8s\x00rubbish").with("Content-Type", protobufType).gives(400).writesNothing(),
				inYAML("DELETE", one, "a: [").gives(400).writesNothing(), remove(one, "{}").with("Content-Type", "text/plain").gives(415), remove("prioritylevelconfigurations", "{}").with("Content-Type", "text/plain").gives(415).writesNothing(),
				remove("prioritylevelconfigurations/none", "{").gives(400), remove(one+"?unheard=1", ""),
			},
		},
	}
}
