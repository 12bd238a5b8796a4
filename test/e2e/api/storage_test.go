package api

import "fmt"

// largeObjects is a case of objects that etcd does not store.
func largeObjects() testCase {
	return testCase{
		name: "an object that is too large for etcd",
		steps: []step{
			post("flowschemas", ofUsers(9_000)).gives(413).saying("at most 1.5 MiB", "--max-request-bytes of etcd, which helps up to 2 MiB").writesNothing(),
			post("flowschemas", ofUsers(11_000)).gives(413).saying("at most 2 MiB to etcd, whatever etcd accepts").writesNothing(),
		},
	}
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
