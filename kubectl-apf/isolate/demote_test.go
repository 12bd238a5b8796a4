package isolate

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/names"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

func demoting(t *testing.T, user string) Input {
	t.Helper()
	in := input(t)
	in.Demote, in.For = user, time.Hour
	return in
}

func TestOnlyTheDemotedUserMoves(t *testing.T) {
	for user, want := range map[string]struct {
		name, kind   string
		lower, upper string
	}{
		"system:serviceaccount:shop:web": {"demoted-shop-web", "ServiceAccount", "probes", "service-accounts"},
		"alice@example.com":              {"demoted-alice-example-com", "User", "probes", "global-default"},
	} {
		t.Run(user, func(t *testing.T) {
			in := demoting(t, user)
			r, err := Run(in)
			require.NoError(t, err)
			require.Len(t, r.Objects, 2)
			level, schema := r.Objects[0].PriorityLevel, r.Objects[1].FlowSchema
			assert.Equal(t, []string{want.name, want.name, want.name}, []string{level.Name, schema.Name, schema.Spec.PriorityLevelConfiguration.Name})
			limited := level.Spec.Limited
			assert.Equal(t, [2]int32{1, 0}, [2]int32{*limited.NominalConcurrencyShares, *limited.BorrowingLimitPercent})
			assert.EqualValues(t, 1, limited.LimitResponse.Queuing.Queues)
			require.Len(t, schema.Spec.Rules[0].Subjects, 1)
			assert.EqualValues(t, want.kind, schema.Spec.Rules[0].Subjects[0].Kind)
			precedence := map[string]int32{}
			for _, s := range in.Configuration.FlowSchemas {
				precedence[s.Name] = s.Spec.MatchingPrecedence
			}
			assert.Greater(t, schema.Spec.MatchingPrecedence, precedence[want.lower])
			assert.Less(t, schema.Spec.MatchingPrecedence, precedence[want.upper])
			assert.Positive(t, r.Diff.Moved)
			assert.Equal(t, now.Add(time.Hour).Format(time.RFC3339), schema.Annotations[names.ExpiresAnnotation])
			assert.True(t, r.IsClean(), r.Findings)
			text, err := r.Manifests()
			require.NoError(t, err)
			assert.Contains(t, text, "\n# kubectl delete flowschema,prioritylevelconfiguration "+want.name+"\n")

			few := demoting(t, user)
			few.Configuration.Total = 60
			narrow, err := Run(few)
			require.NoError(t, err)
			assert.True(t, narrow.IsClean(), "one seat is on purpose: %v", narrow.Findings)

			in.Configuration = applied(in.Configuration, r.Objects)
			_, err = Run(in)
			require.ErrorContains(t, err, "exists already")
		})
	}
}

// A schema that an earlier isolation made for the user comes later, and matches nothing until then.
func TestAnIsolatedOperatorIsDemoted(t *testing.T) {
	isolated, err := Run(input(t, web))
	require.NoError(t, err)
	in := demoting(t, web.User())
	in.Configuration = applied(in.Configuration, isolated.Objects)
	r, err := Run(in)
	require.NoError(t, err)
	schema := r.Objects[1].FlowSchema
	for _, o := range isolated.Objects {
		if s := o.FlowSchema; s != nil && s.Spec.PriorityLevelConfiguration.Name != leaseLevel {
			assert.Less(t, schema.Spec.MatchingPrecedence, s.Spec.MatchingPrecedence, s.Name)
		}
	}
	assert.Contains(t, r.Notes, "FlowSchema shop-web matches no request until the demotion is undone: it is for system:serviceaccount:shop:web alone.")
}

func TestNobodyIsDemotedWhomTheClusterNeeds(t *testing.T) {
	for _, user := range []string{
		"*", "system:kube-scheduler", "system:node:a", "system:anonymous", "system:admin", "system:serviceaccount:kube-system:coredns",
		"system:serviceaccount:openshift-etcd:etcd", "system:serviceaccount:kube-flannel:flannel", "kubernetes-admin", "aksService", "eks:certificate-controller", "me@example.com", "bob\u202ealice", "system:serviceaccount:cert-manager:webhook", "system:serviceaccounts:shop",
	} {
		in := demoting(t, user)
		in.Self = "me@example.com"
		in.Facts.Servers = []lint.Server{{Object: lint.Object{Kind: "ValidatingWebhookConfiguration", Name: "cert"}, Namespace: "cert-manager", ServiceAccount: "webhook"}}
		_, err := Run(in)
		assert.ErrorContains(t, err, "is not demoted", user)
	}
	in := demoting(t, source.Account{Namespace: "shop", Name: "gone"}.User())
	in.Facts.ServiceAccounts = map[string][]string{"shop": {"web"}}
	_, err := Run(in)
	require.ErrorContains(t, err, "does not exist")
	assert.Equal(t, "user", slug("ÄÖ"))
}

// What a cluster needs lives in other namespaces than kube-* too: its pods, its permissions or the usual namespace of
// its project tell.
func TestPartsOfTheClusterAreKnownByTheirPodsAndPermissions(t *testing.T) {
	for name, test := range map[string]struct {
		namespace string
		pod       string
		allowed   []string
		says      string // of the error; empty if the account is demoted
		note      string
	}{
		"an operator":                           {"shop", "", nil, "", ""},
		"a critical pod":                        {"net", "agent-x2", nil, "its pod agent-x2 has the priority of a critical part of the cluster", ""},
		"a network driver":                      {"net", "", []string{"patch nodes/status"}, "it reports the status of nodes", ""},
		"a storage driver":                      {"disks", "", []string{"update volumeattachments/status"}, "it attaches volumes", ""},
		"a scheduler":                           {"batch", "", []string{"create pods/binding"}, "it schedules pods", ""},
		"load balancers":                        {"lb", "", []string{"update services/status"}, "it provides load balancers", ""},
		"a deployer that may do everything":     {"flux", "", []string{"patch nodes/status", "update nodes/status", "patch *", "update *"}, "", "flux/web may patch all resources"},
		"a driver in its project's namespace":   {"calico-system", "", nil, "the cluster depends on service accounts of the namespace calico-system", ""},
		"a controller next to its webhook":      {"kyverno", "", nil, "", ""},
		"what nobody tells":                     {"shop", "unknown", nil, "", "It is not known whether the cluster depends on shop/web"},
		"webhooks, where nobody tells of which": {"kyverno", "unknown", nil, "no cluster tells whether the account serves one", ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := demoting(t, source.Account{Namespace: test.namespace, Name: "web"}.User())
			in.May = func(_ source.Account, what authorizationv1.ResourceAttributes) (bool, error) {
				return slices.Contains(test.allowed, strings.TrimSuffix(what.Verb+" "+what.Resource+"/"+what.Subresource, "/")), nil
			}
			in.Critical = func(source.Account) (string, error) {
				if test.pod == "unknown" {
					return "", source.ErrNoReviews
				}
				return test.pod, nil
			}
			r, err := Run(in)
			if test.says != "" {
				require.ErrorContains(t, err, test.says)
				return
			}
			require.NoError(t, err)
			if test.note == "" {
				assert.NotContains(t, strings.Join(r.Notes, "\n"), "depends on")
			}
			assert.Contains(t, strings.Join(r.Notes, "\n"), test.note)
		})
	}
}
