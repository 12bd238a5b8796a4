package fuzzparity

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// These objects set every field.
const (
	fullSchema = `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema",
		"metadata":{"name":"full","labels":{"app":"web"},"annotations":{"note":"x"},"finalizers":["example.com/hold"],
			"ownerReferences":[{"apiVersion":"v1","kind":"Namespace","name":"owner","uid":"1","controller":true,"blockOwnerDeletion":true}]},
		"spec":{"priorityLevelConfiguration":{"name":"workload-low"},"matchingPrecedence":500,"distinguisherMethod":{"type":"ByUser"},
			"rules":[{"subjects":[{"kind":"User","user":{"name":"a"}},{"kind":"Group","group":{"name":"b"}},
					{"kind":"ServiceAccount","serviceAccount":{"name":"c","namespace":"d"}}],
				"resourceRules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"],"clusterScope":true,"namespaces":["default"]}],
				"nonResourceRules":[{"verbs":["get"],"nonResourceURLs":["/healthz"]}]}]},
		"status":{"conditions":[{"type":"Dangling","status":"True","lastTransitionTime":"2001-02-03T04:05:06Z","reason":"a","message":"b"}]}}`
	fullLevel = `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"PriorityLevelConfiguration",
		"metadata":{"name":"full","annotations":{"note":"x"},"ownerReferences":[{"apiVersion":"v1","kind":"Namespace","name":"owner","uid":"1"}]},
		"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":5,"lendablePercent":10,"borrowingLimitPercent":20,
			"limitResponse":{"type":"Queue","queuing":{"queues":16,"handSize":4,"queueLengthLimit":50}}}},
		"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2001-02-03T04:05:06Z","reason":"a","message":"b"}]}}`
	exemptLevel = `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"PriorityLevelConfiguration","metadata":{"name":"exempt"},
		"spec":{"type":"Exempt","exempt":{"nominalConcurrencyShares":5,"lendablePercent":10}}}`
)

// otherValues returns the replacements of each field: every type, and both sides
// of every bound.
func otherValues() []any {
	values := []any{
		nil, true, "", "*", "a", "A b", "exempt", "Limited", "Exempt", "Queue", "Reject", "User", "ByNamespace", "Event", "2001-02-03T04:05:06Z",
		strings.Repeat("n", 253), strings.Repeat("n", 254), []any{}, []any{"x"}, []any{nil}, map[string]any{}, map[string]any{"x": "y"},
		map[string]any{objects.KeepZeroShares: ""},
	}
	for _, number := range []string{
		"-2147483649", "-2147483648", "-1", "0", "1", "2", "50", "100", "101", "1000", "1001", "10000", "10001", "10000000", "10000001",
		"2147483647", "2147483648", "9223372036854775807", "9223372036854775808", "1e3", "1.0", "1.5", "1e400", "-0",
	} {
		values = append(values, json.Number(number))
	}
	return values
}

// variants returns all trees that differ from this one in one node: another value,
// a missing member, an additional member, or a repeated item.
func variants(tree any) []any {
	all := otherValues()
	switch node := tree.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(node)) {
			less := maps.Clone(node)
			delete(less, key)
			all = append(all, less)
			for _, value := range variants(node[key]) {
				other := maps.Clone(node)
				other[key] = value
				all = append(all, other)
			}
		}
		more := maps.Clone(node)
		more["unheard"] = "x"
		all = append(all, more)
	case []any:
		for i := range node {
			all = append(all, append(slices.Clone(node), node[i]), slices.Delete(slices.Clone(node), i, i+1))
			for _, value := range variants(node[i]) {
				other := slices.Clone(node)
				other[i] = value
				all = append(all, other)
			}
		}
	}
	return all
}

// memberOf returns a member of a tree in JSON.
func memberOf(tree any, key string) []byte {
	node, _ := tree.(map[string]any)
	return objects.Encode(node[key])
}

// everyVariant sends each variant of the full objects once. Variants of the status
// are status writes; otherwise the number determines verb and form.
func everyVariant() []attempt {
	var all []attempt
	for _, full := range []struct{ kind, text, target string }{
		{kindSchema, fullSchema, "target"}, {kindLevel, fullLevel, "target"}, {kindLevel, exemptLevel, "exempt"},
	} {
		whole := objects.Decode([]byte(full.text))
		for _, tree := range variants(whole) {
			i := len(all)
			a := attempt{
				verb: []verb{verbCreate, verbUpdate}[i%2], kind: full.kind, version: versionNew, target: full.target,
				query: "dryRun=All&fieldValidation=" + []string{"Warn", "Strict"}[i/2%2], form: forms()[i/4%2],
			}
			if !bytes.Equal(memberOf(whole, "status"), memberOf(tree, "status")) {
				a.verb = verbStatus
			}
			a.tree = objects.Encode(tree)
			if a.verb != verbCreate {
				a.tree = []byte(strings.Replace(string(a.tree), `"full"`, `"target"`, 1))
			}
			all = append(all, a)
		}
	}
	return all
}
