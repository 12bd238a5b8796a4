package lint

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

func TestSharesDropNamesTheCause(t *testing.T) {
	for _, test := range []struct {
		name    string
		mine    int32
		system  int32
		object  string
		message string
		related []Object
	}{
		{
			"a new level with many shares", 300, 30, "mine",
			`The shares beyond the default configuration, 300 of them here, leave "catch-all", "global-default", "leader-election" and 4 more less than half of their seats: "catch-all" has 6 instead of 13.`,
			[]Object{
				levelObject("catch-all"), levelObject("global-default"), levelObject("leader-election"), levelObject("node-high"),
				levelObject("system"), levelObject("workload-high"), levelObject("workload-low"),
			},
		},
		{
			"a built-in level that gained less", 290, 299, "mine",
			`The shares beyond the default configuration, 290 of them here, leave "catch-all", "global-default", "leader-election" and 3 more less than half of their seats: "catch-all" has 4 instead of 13.`,
			[]Object{
				levelObject("catch-all"), levelObject("global-default"), levelObject("leader-election"), levelObject("node-high"),
				levelObject("workload-high"), levelObject("workload-low"),
			},
		},
		{"a built-in level with few shares", 20, 14, "system", "This built-in level has 34 seats, less than half of its 74 in the default configuration.", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			bundle, _, level := faultless()
			level.Spec.Limited.NominalConcurrencyShares = new(test.mine)
			levels := newJudge(&bundle).levels
			levels["system"].Spec.Limited.NominalConcurrencyShares = new(test.system)
			findings := sharesDrop(levels, release().complete(), 600)
			require.Len(t, findings, 1)
			require.Equal(t, levelObject(test.object), findings[0].Object)
			require.Equal(t, test.message, findings[0].Message)
			require.Equal(t, test.related, findings[0].Related)
		})
	}
}

func TestTuplesMeet(t *testing.T) {
	resource := func(users rules.Users, verb, apiGroup, resource, namespace string) tuple {
		return tuple{users: users, verb: verb, apiGroup: apiGroup, resource: resource, namespace: namespace}
	}
	url := func(users rules.Users, verb, url string) tuple { return tuple{users: users, verb: verb, url: url} }
	all, alice := rules.Users{Kind: rules.Authenticated}, rules.Users{Kind: rules.OneUser, Name: "alice"}
	cluster := resource(all, "list", "", "pods", "")
	cluster.clusterScope = true
	for _, test := range []struct {
		name       string
		a, b, want tuple
		meet       bool
	}{
		{"wildcards and values", resource(all, "*", "", "*", "ns"), resource(alice, "get", "*", "pods", "*"), resource(alice, "get", "", "pods", "ns"), true},
		{"other verbs", resource(all, "get", "*", "*", "*"), resource(all, "list", "*", "*", "*"), tuple{}, false},
		{"other API groups", resource(all, "*", "", "*", "*"), resource(all, "*", "apps", "*", "*"), tuple{}, false},
		{"other resources", resource(all, "*", "*", "pods", "*"), resource(all, "*", "*", "nodes", "*"), tuple{}, false},
		{"other namespaces", resource(all, "*", "*", "*", "a"), resource(all, "*", "*", "*", "b"), tuple{}, false},
		{"other users", resource(rules.Users{Kind: rules.OneUser, Name: "bob"}, "*", "*", "*", "*"), resource(alice, "*", "*", "*", "*"), tuple{}, false},
		{"a namespace and the cluster", resource(all, "list", "", "pods", "*"), cluster, tuple{}, false},
		{"a resource and a URL", resource(all, "*", "*", "*", "*"), url(all, "*", "*"), tuple{}, false},
		{"a URL below another", url(all, "get", "/healthz"), url(alice, "*", "/healthz/etcd"), url(alice, "get", "/healthz/etcd"), true},
		{"all URLs", url(all, "get", "/healthz"), url(all, "*", "*"), url(all, "get", "/healthz"), true},
		{"other URLs", url(all, "get", "/healthz"), url(all, "*", "/livez"), tuple{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, pair := range [][2]tuple{{test.a, test.b}, {test.b, test.a}} {
				got, meet := pair[0].meet(pair[1])
				require.Equal(t, test.meet, meet)
				if meet {
					require.Equal(t, test.want, got)
				}
			}
		})
	}
}
