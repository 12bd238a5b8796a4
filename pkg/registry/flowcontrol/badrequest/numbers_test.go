package badrequest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumbersThatWouldBeCutAreBadRequests(t *testing.T) {
	const strategic, apply, merge = "application/strategic-merge-patch+json", "application/apply-patch+yaml", "application/merge-patch+json"
	for _, test := range []struct {
		name, contentType, body string
		says                    string // empty: the request is passed on
	}{
		{"the largest numbers there are", strategic, `{"spec":{"a":2147483647,"b":-2147483648}}`, ""},
		{"one too many", strategic, `{"spec":{"limited":{"shares":2147483648}}}`, "spec.limited.shares: Invalid value"},
		{"one too few", strategic, `{"spec":{"list":[1,{"a":-2147483649}]}}`, "spec.list[1].a: Invalid value"},
		{"in the status", strategic + "; charset=utf-8", `{"status":{"a":99999999999}}`, "status.a"},
		{"in JSON that is applied", apply, `{"spec":{"a":99999999999,"b":99999999999}}`, "[spec.a"},
		{"in YAML that is applied", apply, "spec:\n  a: 0xFFFFFFFFF\n", "spec.a"},
		{"in metadata, where there are larger fields", strategic, `{"metadata":{"generation":99999999999}}`, ""},
		{"in a patch that the library reads well", merge, `{"spec":{"a":99999999999}}`, ""},
		{"in a text", strategic, `{"spec":{"a":"99999999999"}}`, ""},
		{"a patch that cannot be read", strategic, `{"spec":{"a":99999999999}`, ""},
		{"a patch that is no object", apply, `- 99999999999`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			seen, answer := asked(t, "patch", "fieldManager=me", test.contentType, test.body)
			requireRefused(t, test.says, answer)
			if test.says == "" {
				require.Equal(t, test.body, seen)
				return
			}
			require.ErrorContains(t, answer, "must be a number between -2147483648 and 2147483647")
		})
	}
}
