package api

import (
	"fmt"
	"net/url"
	"strings"
)

// applyDetailTheme tests edge cases of server-side apply.
func applyDetailTheme() theme {
	return theme{"apply details", append(managerCases(), append(statusApplyCases(), append(migrationCases(), appliedBodyCases()...)...)...)}
}

// schemaApplied is a step where a manager applies a schema to a path.
func schemaApplied(manager, path, object string) step {
	return patch("apply", path+"?fieldManager="+url.QueryEscape(manager), object)
}

func managerCases() []testCase {
	const one, many = "flowschemas/a", "flowschemas"
	long, wild := strings.Repeat("m", 128), []string{strings.Repeat("m", 129), "bell\a", "tab\t", "zero\x00", strings.Repeat("é", 65)}
	var rejected []step
	for _, name := range wild {
		query := "?fieldManager=" + url.QueryEscape(name)
		rejected = append(rejected,
			patch("apply", "flowschemas/b"+query, flowSchema("b")).gives(422).writesNothing(), post(many+query, flowSchema("b")).gives(422).writesNothing(),
			put("flowschemas/exempt"+query, flowSchema("exempt")).gives(422).writesNothing(), patch("merge", "flowschemas/exempt"+query, `{"metadata":{"labels":{"a":"b"}}}`).gives(422).writesNothing())
	}
	var updates []step
	for i := range 14 {
		updates = append(updates, patch("merge", fmt.Sprintf("flowschemas/a?fieldManager=m%02d", i), fmt.Sprintf(`{"metadata":{"labels":{"l%d":"x"}}}`, i)))
	}
	return []testCase{
		{
			name: "names of managers", proves: []string{"apply.managed-fields", "apply.update-entry"},
			steps: []step{
				schemaApplied(long, one, flowSchema("a")).gives(201).saying(long), schemaApplied("ünïcode 名", one, flowSchema("a")).saying("ünïcode 名"),
				schemaApplied(" ", one, flowSchema("a")), schemaApplied("a&b=c", one, flowSchema("a")).saying(`a\u0026b=c`),
				patch("merge", one, `{"metadata":{"labels":{"x":"1"}}}`).with("User-Agent", "curl"), patch("merge", one, `{"metadata":{"labels":{"x":"2"}}}`).with("User-Agent", strings.Repeat("u", 200)),
				patch("merge", one, `{"metadata":{"labels":{"x":"3"}}}`).with("User-Agent", "/v1"), patch("merge", one, `{"metadata":{"labels":{"x":"4"}}}`).with("User-Agent", "bell\x80/1"),
			},
		},
		{name: "names that no manager may have", proves: []string{"apply.manager", "valid.invalid"}, steps: rejected},
		{
			name: "the oldest of many updates are merged", proves: []string{"apply.update-entry"},
			steps: append(append([]step{post(many+"?fieldManager=m", flowSchema("a"))}, updates...), get(one).saying("ancient-changes")),
		},
		{
			name: "a manager that applies and updates", proves: []string{"apply.managed-fields", "apply.conflict", "apply.share"},
			steps: []step{
				applied("m", "a", level("a", 1)).gives(201), put("prioritylevelconfigurations/a?fieldManager=m", labelled(level("a", 2), "a=b")),
				applied("m", "a", level("a", 3)).gives(409).saying(`conflict with \"m\" using flowcontrol.apiserver.k8s.io/v1`), forced("m", "a", level("a", 3)), applied("m", "a", level("a", 4)),
				applied("n", "a", having(labelled(level("a", 5), "a=c"), "spec.limited.lendablePercent", 50)).gives(409).saying(".metadata.labels.a", ".spec.limited.nominalConcurrencyShares").writesNothing(),
				patch("apply", "prioritylevelconfigurations/a?fieldManager=n&force=false", level("a", 5)).gives(409),
			},
		},
		{
			name: "kinds of level change hands", proves: []string{"apply.force", "apply.give-up"},
			steps: []step{
				applied("m", "a", level("a", 1)).gives(201),
				applied("m", "a", having(level("a", 1), "spec.limited.limitResponse", map[string]any{"type": "Queue", "queuing": map[string]any{"queues": 8, "handSize": 2}})).saying(`"queueLengthLimit":50`),
				applied("m", "a", level("a", 1)).without("queuing"), applied("n", "a", having(level("a", 1), "spec", map[string]any{"type": "Exempt", "exempt": map[string]any{}})).gives(409),
				forced("n", "a", having(level("a", 1), "spec", map[string]any{"type": "Exempt"})).gives(422),
				applied("m", "a", having(level("a", 1), "spec", map[string]any{"type": "Exempt", "exempt": map[string]any{"lendablePercent": 5}})).gives(422),
			},
		},
	}
}

func statusApplyCases() []testCase {
	const one, status = "flowschemas/a", "flowschemas/a/status"
	with := func(kinds ...string) string {
		var all []any
		for _, kind := range kinds {
			all = append(all, conditions(kind)...)
		}
		return having(flowSchema("a"), "status.conditions", all)
	}
	return []testCase{
		{
			name: "status beside spec", proves: []string{"apply.reset", "apply.managed-fields", "verbs.status-ignores-spec", "verbs.spec-ignores-status"},
			steps: []step{
				schemaApplied("m", one, with("Mine")).gives(201).saying(`"status":{}`).without(`"f:status"`), schemaApplied("m", status, labelled(with("Mine"), "a=b")).saying("Mine").without(`"a":"b"`),
				schemaApplied("m", status, having(with("Mine"), "spec.matchingPrecedence", 3)).saying(`"matchingPrecedence":1000`).writesNothing(),
				schemaApplied("m", one, flowSchema("a")).saying("Mine").writesNothing(), put(one+"?fieldManager=u", labelled(with(), "x=y")).saying("Mine"), put(status+"?fieldManager=u", with("Mine", "Yours")).saying("Yours"),
				schemaApplied("m", status, having(flowSchema("a"), "status", map[string]any{})).without("Mine").saying("Yours"),
				schemaApplied("n", status, having(with("Yours"), "status.conditions", []any{map[string]any{"type": "Yours", "status": "False"}})).gives(409).saying(`conditions[type=\"Yours\"].status`),
				schemaApplied("n", status, having(flowSchema("a"), "spec", nil)),
			},
		},
		{
			name: "conditions are a map by type", proves: []string{"apply.lists"},
			steps: []step{
				schemaApplied("m", one, flowSchema("a")).gives(201), schemaApplied("m", status, with("One", "Two")), schemaApplied("n", status, with("Two", "Three")),
				schemaApplied("m", status, with("One")).saying("One", "Two", "Three"), schemaApplied("n", status, with("Three")).without("Two"),
				schemaApplied("m", status, with("One", "One")).gives(400), schemaApplied("m", status, having(flowSchema("a"), "status.conditions", []any{map[string]any{"status": "True"}})).gives(400),
				schemaApplied("m", status, having(flowSchema("a"), "status.conditions", map[string]any{})).gives(400), schemaApplied("m", status, having(with("One"), "status.conditions", "none")).gives(400),
			},
		},
		{
			name: "lists of a rule are replaced whole", proves: []string{"apply.lists", "apply.conflict"},
			steps: []step{
				schemaApplied("m", one, having(flowSchema("a"), "spec.rules", append(rules("u"), rules("v")...))).gives(201).saying(`"f:rules":{}`),
				schemaApplied("m", one, having(flowSchema("a"), "spec.rules", rules("v"))).without(`"u"`), schemaApplied("n", one, having(flowSchema("a"), "spec.rules", rules("v"))),
				schemaApplied("n", one, having(flowSchema("a"), "spec.rules", append(rules("v"), rules("w")...))).gives(409).saying(`".spec.rules"`), schemaApplied("n", one, flowSchema("a")).saying(`"v"`),
				schemaApplied("m", one, having(flowSchema("a"), "spec.rules", []any{})).without(`"v"`), schemaApplied("m", one, having(flowSchema("a"), "spec.rules", twins())).gives(400),
			},
		},
		{
			name: "metadata is shared by entry", proves: []string{"apply.lists", "apply.share", "apply.give-up"},
			steps: []step{
				schemaApplied("m", one, having(labelled(flowSchema("a"), "a=1", "b=1"), "metadata.ownerReferences", []any{owner("one")})).gives(201),
				schemaApplied("n", one, having(labelled(flowSchema("a"), "b=1", "c=1"), "metadata.ownerReferences", []any{owner("two")})).saying(`"one"`, `"two"`),
				schemaApplied("m", one, flowSchema("a")).saying(`"b":"1"`).without(`"a":"1"`, `"one"`),
				schemaApplied("m", one, having(flowSchema("a"), "metadata.finalizers", []any{"example.org/x", "example.org/x"})).gives(400), schemaApplied("m", one, having(flowSchema("a"), "metadata.labels", nil)).writesNothing(),
				schemaApplied("n", one, having(flowSchema("a"), "metadata.annotations", map[string]any{"empty": ""})).without("ownerReferences\":["),
				schemaApplied("n", one, strings.Replace(flowSchema("a"), `"name":"a"`, `"name":"a","annotations":{"empty":null}`, 1)),
			},
		},
	}
}

func owner(uid string) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "Node", "name": "n-" + uid, "uid": uid}
}

// twins returns rules with a repeated verb.
func twins() []any {
	twice := rules("u")
	twice[0].(map[string]any)["nonResourceRules"] = []any{map[string]any{"verbs": []any{"get", "get"}, "nonResourceURLs": []any{"/x"}}}
	return twice
}

func migrationCases() []testCase {
	const all, one = "prioritylevelconfigurations", "prioritylevelconfigurations/a"
	last := func(object string) string {
		return having(object, "metadata.annotations", map[string]any{"kubectl.kubernetes.io/last-applied-configuration": object + "\n"})
	}
	shared := labelled(level("a", 10), "old=yes", "kept=yes")
	return []testCase{
		{
			name: "what client-side apply set is removed by server-side apply", proves: []string{"apply.upgrade", "apply.give-up"},
			steps: []step{
				post(all+"?fieldManager=kubectl-client-side-apply", last(shared)),
				patch("json", one, `[{"op":"replace","path":"/metadata/managedFields/0/manager","value":"kubectl"},{"op":"replace","path":"/metadata/managedFields/0/operation","value":"Apply"}]`), // as kubectl does
				applied("kubectl", "a", labelled(level("a", 10), "kept=yes")).without(`"old":"yes"`),
				applied("kubectl", "a", level("a", 10)).without(`"kept":"yes"`), applied("other", "a", level("a", 11)).gives(409).saying(`conflict with \"kubectl\"`),
			},
		},
		{
			name: "what client-side apply set is kept by another's server-side apply", proves: []string{"apply.upgrade", "apply.conflict"},
			steps: []step{
				post(all+"?fieldManager=kubectl-client-side-apply", last(shared)), applied("other", "a", labelled(level("a", 10), "kept=no")).gives(409).saying(`conflict with \"kubectl-client-side-apply\"`),
				applied("other", "a", labelled(level("a", 10), "kept=yes")).saying(`"old":"yes"`),
			},
		},
		{
			name: "the annotation follows server-side apply", proves: []string{"apply.upgrade"},
			steps: []step{
				post(all+"?fieldManager=kubectl-client-side-apply", last(level("a", 10))), applied("kubectl", "a", level("a", 12)).saying(`\"nominalConcurrencyShares\":12`),
				patch("strategic-merge", one+"?fieldManager=kubectl-client-side-apply", last(labelled(level("a", 13), "back=yes"))).saying("back"),
				applied("kubectl", "a", labelled(level("a", 13), "back=again")), applied("kubectl", "a", level("a", 13)).without("again"),
				patch("merge", one, `{"metadata":{"annotations":null}}`), applied("kubectl", "a", level("a", 14)).gives(409), forced("kubectl", "a", level("a", 14)).without("last-applied"),
			},
		},
		{
			name: "an annotation that is no object", proves: []string{"apply.upgrade"},
			steps: []step{
				post(all+"?fieldManager=kubectl-client-side-apply", having(level("a", 10), "metadata.annotations", map[string]any{"kubectl.kubernetes.io/last-applied-configuration": "nonsense"})),
				applied("kubectl", "a", level("a", 10)), applied("kubectl", "a", having(level("a", 10), "spec.limited.lendablePercent", 3)).gives(409),
			},
		},
		{
			name: "the record is written by hand", proves: []string{"apply.clear", "apply.managed-fields"},
			steps: []step{
				applied("m", "a", level("a", 10)).gives(201),
				patch("json", one, `[{"op":"replace","path":"/metadata/managedFields/0/manager","value":"renamed"}]`).saying("renamed"), applied("m", "a", level("a", 11)).gives(409).saying("renamed"),
				patch("json", one, `[{"op":"replace","path":"/metadata/managedFields/0/operation","value":"Dance"}]`), patch("json", one, `[{"op":"replace","path":"/metadata/managedFields/0/fieldsType","value":"FieldsV9"}]`),
				patch("json", one, `[{"op":"replace","path":"/metadata/managedFields/0/fieldsV1","value":{"bad":{}}}]`), patch("json", one, `[{"op":"replace","path":"/metadata/managedFields/0/apiVersion","value":"nonsense/v0/x"}]`),
				patch("json", one, `[{"op":"add","path":"/metadata/managedFields/-","value":{"manager":"forged","operation":"Update"}}]`).gives(422).givesSince("0.37", 200),
				patch("merge", one+"/status", `{"metadata":{"managedFields":[{}]}}`), get(one), patch("json", one, `[{"op":"replace","path":"/metadata/managedFields","value":[]}]`), patch("merge", one, `{"metadata":{"managedFields":null}}`),
			},
		},
	}
}

func appliedBodyCases() []testCase {
	const one = "flowschemas/a"
	body := func(text string) step { return schemaApplied("m", one, text) }
	return []testCase{
		{
			name: "an applied version", proves: []string{"patch.apply", "verbs.update-conflict"},
			steps: []step{
				body(having(flowSchema("a"), "metadata.resourceVersion", "<before>")).gives(201), remove(one, ""), body(flowSchema("a")).gives(201).keep("old", "metadata.resourceVersion").keep("uid", "metadata.uid"),
				body(having(labelled(flowSchema("a"), "n=1"), "metadata.resourceVersion", "<old>")), body(having(labelled(flowSchema("a"), "n=2"), "metadata.resourceVersion", "<old>")).gives(409).writesNothing(),
				body(having(labelled(flowSchema("a"), "n=3"), "metadata.resourceVersion", "0")), body(having(labelled(flowSchema("a"), "n=4"), "metadata.resourceVersion", "")),
				body(having(labelled(flowSchema("a"), "n=5"), "metadata.resourceVersion", "nonsense")).gives(400),
				body(having(flowSchema("a"), "metadata.uid", "<uid>")), body(having(flowSchema("a"), "metadata.uid", "other")).gives(422),
			},
		},
		{
			name: "identity of what is applied", proves: []string{"valid.wrong-name", "valid.wrong-kind", "patch.malformed"},
			steps: []step{
				body(having(flowSchema("a"), "metadata.name", nil)).gives(400), body(having(flowSchema("a"), "metadata.name", "b")).gives(400), body(having(flowSchema("a"), "metadata.namespace", "default")).gives(201),
				body(having(flowSchema("a"), "metadata.generateName", "a-")), body(having(flowSchema("a"), "kind", "Poem")).gives(400), body(having(flowSchema("a"), "kind", nil)).gives(400),
				body(having(flowSchema("a"), "apiVersion", "flowcontrol.apiserver.k8s.io/v9")).gives(400), body(having(flowSchema("a"), "apiVersion", "v1")).gives(400), body(having(flowSchema("a"), "metadata", nil)).gives(400),
				body("{}").gives(400), body("[]").gives(400), body("null").gives(400), body("").gives(400), body("text").gives(400),
			},
		},
		{
			name: "what is applied is YAML", proves: []string{"repr.yaml", "patch.apply", "patch.malformed"},
			steps: []step{
				body(toYAML(flowSchema("a"))).gives(201), body(toYAML(flowSchema("a"))).writesNothing(), body("# a comment\n---\n" + toYAML(labelled(flowSchema("a"), "x=y"))).saying(`"x":"y"`),
				body(toYAML(flowSchema("a")) + "---\n" + toYAML(labelled(flowSchema("b"), "second=yes"))).without("second"), body("a: [").gives(400), body("a: &x [*x]").gives(400), body("\ttab: 1").gives(400),
				body(toYAML(having(flowSchema("a"), "metadata.labels", map[string]any{"n": 7}))).gives(400), body("x: &x {l: z}\n" + toYAML(flowSchema("a"))).gives(400),
				body(strings.Replace(toYAML(flowSchema("a")), "  name: a\n", "  name: a\n  labels: &l {q: r}\n  annotations: *l\n", 1)).saying(`"annotations":{"q":"r"}`),
			},
		},
		{
			name: "apply to what is being deleted", proves: []string{"verbs.finalizers", "apply.give-up"},
			steps: []step{
				body(having(flowSchema("a"), "metadata.finalizers", []any{"example.org/x"})).gives(201), remove(one, "").saying("deletionTimestamp"), body(having(labelled(flowSchema("a"), "x=y"), "metadata.finalizers", []any{"example.org/x"})),
				body(having(flowSchema("a"), "metadata.finalizers", []any{"example.org/x", "example.org/new"})).gives(422), body(flowSchema("a")), get(one).gives(404), body(flowSchema("a")).gives(201),
			},
		},
		{
			name: "apply tells what is invalid, and changes nothing", proves: []string{"patch.impossible", "valid.invalid"},
			steps: []step{
				body(having(flowSchema("a"), "spec.matchingPrecedence", 0)).gives(201), body(having(flowSchema("a"), "spec.matchingPrecedence", 10_001)).gives(422).saying("spec.matchingPrecedence").writesNothing(),
				body(having(flowSchema("a"), "spec.priorityLevelConfiguration", nil)).gives(422), body(having(flowSchema("a"), "spec.matchingPrecedence", "1")).gives(400), body(having(flowSchema("a"), "spec.matchingPrecedence", 1.5)).gives(400),
				body(having(flowSchema("a"), "spec.matchingPrecedence", nil)), schemaApplied("m", "flowschemas/exempt", having(flowSchema("exempt"), "spec.matchingPrecedence", 5)).gives(409),
				schemaApplied("m", "flowschemas/Bad", flowSchema("Bad")).gives(422),
			},
		},
		{
			name: "two versions of one object", proves: []string{"apply.managed-fields", "apply.share", "apply.conflict"}, beta: true,
			steps: versionSteps(),
		},
	}
}

// versionSteps applies one level in both versions.
func versionSteps() []step {
	inBeta := func(object string) step {
		return patch("apply", v1beta3Path+"prioritylevelconfigurations/a?fieldManager=old", having(object, "apiVersion", "flowcontrol.apiserver.k8s.io/v1beta3"))
	}
	lending := having(level("a", 10), "spec.limited.lendablePercent", 20)
	return []step{
		inBeta(lending).gives(201).saying(`"apiVersion":"flowcontrol.apiserver.k8s.io/v1beta3","time"`),
		applied("new", "a", level("a", 10)).saying(`"manager":"new"`, `"apiVersion":"flowcontrol.apiserver.k8s.io/v1","fieldsType"`, `"manager":"old"`),
		applied("new", "a", level("a", 11)).gives(409).saying(`conflict with \"old\"`, ".spec.limited.nominalConcurrencyShares").writesNothing(),
		inBeta(level("a", 12)).gives(409).saying(`conflict with \"new\"`),
		inBeta(level("a", 10)).saying(`"lendablePercent":0`), // a field that is no longer applied gets its default
		applied("new", "a", having(level("a", 10), "spec.limited.nominalConcurrencyShares", 0)).gives(409), inBeta(having(level("a", 10), "spec", nil)),
		applied("new", "a", level("a", 0)).saying(`"nominalConcurrencyShares":0`), get(v1beta3Path+"prioritylevelconfigurations/a").saying("preserve-zero", `"nominalConcurrencyShares":0`),
		applied("old", "a", level("a", 0)).saying(`"manager":"old"`), applied("new", "a", level("a", 5)).gives(409).saying(`conflict with \"old\"`),
	}
}
