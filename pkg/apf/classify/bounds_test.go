package classify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

func TestATupleKeepsNoMoreRanksThanThereAreVerbs(t *testing.T) {
	verbs := []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "proxy"}
	schemas := make([]rules.Schema, 5000)
	for i := range schemas {
		schemas[i] = rules.Schema{Name: fmt.Sprintf("s%05d", i), Rules: []rules.Rule{on(rules.Subject{Kind: rules.Group, Name: "g"},
			rules.ResourceRule{Verbs: []string{verbs[i%len(verbs)], verbs[i/7%len(verbs)]}, APIGroups: all, Resources: all, Namespaces: all})}}
	}
	c := New(schemas)
	further := 0
	for i := range c.resources.tuples.pages {
		further += len(c.resources.tuples.pages[i].further)
	}
	assert.LessOrEqual(t, further, len(verbs)+1, "one block, since there is one tuple")
	for _, verb := range verbs {
		requireScanResult(t, c, &flow.Attributes{Groups: []string{"g"}, Verb: verb, IsResourceRequest: true, Namespace: "ns"})
	}
}

func TestMoreVerbsThanBits(t *testing.T) {
	var schemas []rules.Schema
	for i := range 200 {
		schemas = append(schemas, rules.Schema{Name: fmt.Sprintf("s%03d", i), Precedence: int32(i), Rules: []rules.Rule{on(rules.Subject{Kind: rules.Group, Name: "g"},
			rules.ResourceRule{Verbs: words("verb", 2, i), APIGroups: all, Resources: all, ClusterScope: true, Namespaces: all})}})
	}
	schemas = append(schemas, rules.Schema{Name: "rest", Precedence: 1000, Rules: []rules.Rule{on(rules.Subject{Kind: rules.Group, Name: "g"},
		rules.ResourceRule{Verbs: all, APIGroups: all, Resources: all, ClusterScope: true, Namespaces: all})}})
	c := New(schemas)
	for i := range 205 {
		a := &flow.Attributes{Groups: []string{"g"}, Verb: fmt.Sprintf("verb-%d", i), IsResourceRequest: true}
		want := max(0, i-1)
		if i > 200 {
			want = 200
		}
		require.Equal(t, want, c.Match(a), a.Verb)
		requireScanResult(t, c, a)
	}
}

func TestLongListsTakeMemoryInProportionToTheirSum(t *testing.T) {
	const n = 300
	schemas := []rules.Schema{{Name: "huge", Rules: []rules.Rule{{
		Subjects: func() (subjects []rules.Subject) {
			for _, name := range words("user", n, 0) {
				subjects = append(subjects, rules.Subject{Kind: rules.User, Name: name})
			}
			return subjects
		}(),
		ResourceRules: []rules.ResourceRule{{
			Verbs: []string{"get"}, APIGroups: words("group", n, 0), Resources: words("resource", n, 0), Namespaces: words("ns", n, 0),
		}},
	}}}}
	c := New(schemas)
	require.Len(t, c.resources.tuples.pages, 1)
	assert.Zero(t, c.resources.tuples.pages[0].used)
	require.NotNil(t, c.resources.bitmaps)
	a := &flow.Attributes{User: "user-299", Verb: "get", IsResourceRequest: true, APIGroup: "group-0", Resource: "resource-17", Namespace: "ns-299"}
	assert.Equal(t, 0, c.Match(a))
	a.Namespace = "ns-300"
	assert.Equal(t, -1, c.Match(a))
}

// Requests wait while a table is cleared or moved in one piece.
func TestManySchemasMatchAsTheScanWithoutAllocationsByATableOfSmallPieces(t *testing.T) {
	for _, shape := range manyShapes {
		t.Run(shape.name, func(t *testing.T) {
			c := New(with(lane.Pick(4*tuplesPerPage, 20_000), shape.rule))
			for i := range c.resources.tuples.pages {
				assert.LessOrEqual(t, len(c.resources.tuples.pages[i].slots), 2*tuplesPerPage)
			}
			requests := []flow.Attributes{typical, {User: "alice", Verb: "get", Path: "/healthz/etcd"}}
			for i := range 20 {
				a := typical
				a.Verb = []string{"get", "delete", "patch", "deletecollection", "update"}[i%5]
				a.APIGroup, a.Resource, a.Namespace = fmt.Sprintf("api-%d", i), fmt.Sprintf("resource-%d", 7*i), fmt.Sprintf("ns-%d", 3*i)
				a.User, a.Groups = fmt.Sprintf("user-%d", 11*i), append(a.Groups[:3:3], fmt.Sprintf("group-%d", i))
				requests = append(requests, a)
			}
			for i := range requests {
				requireScanResult(t, c, &requests[i])
			}
			requests[0].Subresource = strings.Repeat("s", 100)
			assert.Zero(t, testing.AllocsPerRun(100, func() { c.Match(&requests[0]); c.Match(&requests[1]) }))
		})
	}
}
