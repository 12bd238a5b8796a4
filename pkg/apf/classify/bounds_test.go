package classify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

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
	words := 0
	for _, sets := range c.resources.sets {
		for _, set := range sets {
			words += len(set.words)
		}
	}
	assert.LessOrEqual(t, words, 4*n+1)
	a := &flow.Attributes{User: "user-299", Verb: "get", IsResourceRequest: true, APIGroup: "group-0", Resource: "resource-17", Namespace: "ns-299"}
	assert.Equal(t, 0, c.Match(a))
	a.Namespace = "ns-300"
	assert.Equal(t, -1, c.Match(a))
}

func TestManySchemasMatchAsTheScanWithoutAllocations(t *testing.T) {
	for _, shape := range manyShapes {
		t.Run(shape.name, func(t *testing.T) {
			c := New(with(lane.Pick(1000, 20_000), shape.rule))
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
