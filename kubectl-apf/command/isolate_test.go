package command

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestIsolateAsksTheAPIServer(t *testing.T) {
	got := newAPIServer(t).run(t, "isolate", "--service-account=shop/default")
	require.Zero(t, got.status, got.errOut)
	assert.Contains(t, got.out, "FlowSchema shop-default-leases: ")
	assert.Contains(t, got.out, "It may use leases in all namespaces: these are all.")
	assert.NotContains(t, got.out, "assumed to use leases")
	gone := newAPIServer(t).run(t, "isolate", "--service-account=shop/gone")
	assert.Equal(t, statusFailed, gone.status)
	assert.Contains(t, gone.errOut, "error: the service account shop/gone does not exist in the cluster")
}

func TestIsolateDoesNotDemoteItsOwnUser(t *testing.T) {
	got := newAPIServer(t).run(t, "isolate", "--demote=alice")
	assert.Equal(t, statusFailed, got.status)
	assert.Contains(t, got.errOut, `error: "alice" is not demoted: it is your own user`)
	require.Zero(t, newAPIServer(t).run(t, "isolate", "--demote=bob").status)
}

// ownSchema is a flow schema of the service account alone, at a precedence.
const ownSchema = `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: %s}
spec:
  distinguisherMethod: {type: ByUser}
  matchingPrecedence: %d
  priorityLevelConfiguration: {name: workload-low}
  rules:
  - resourceRules: [{apiGroups: ['*'], clusterScope: true, namespaces: ['*'], resources: [%s], verbs: ['*']}]
    subjects: [{kind: ServiceAccount, serviceAccount: {name: web, namespace: shop}}]
---
`

func own(name string, precedence int, resources string) string {
	return fmt.Sprintf(ownSchema, name, precedence, resources)
}

// beside writes objects to a file, and returns the flag that names it.
func beside(t *testing.T, name, objects string) string {
	t.Helper()
	write(t, name, objects)
	return "-f=" + name
}

func TestIsolateSaysWhyItCannot(t *testing.T) {
	const account = "--service-account=shop/web"
	t.Chdir(t.TempDir())
	invoke(t, []invocation{
		{"both are named", []string{"--demote=alice", "--service-account=shop/default"}, statusFailed, []string{"--demote excludes --service-account and --seats"}},
		{"a user that the cluster depends on", []string{"--demote=system:kube-scheduler"}, statusFailed, []string{`"system:kube-scheduler" is not demoted: the cluster depends on it`}},
		{"nobody is named", nil, statusFailed, []string{"--service-account or --demote is required"}},
		{"a name that no service account may have", []string{"--service-account=*/web"}, statusFailed, []string{"no service account can be called */web: a lowercase RFC 1123 label must"}},
		{"a service account without a namespace", []string{"--service-account=web"}, statusFailed, []string{`--service-account is "web": must be NAMESPACE/NAME`}},
		{"a name that is taken", []string{account, "--name=workload-high"}, statusFailed, []string{"PriorityLevelConfiguration workload-high exists already: choose another name by --name, or delete it if it is of an earlier run"}},
		{"the name of a flow schema is taken", []string{account, beside(t, "1.yaml", own("shop-web", 9950, "pods"))}, statusFailed, []string{"FlowSchema shop-web exists already"}},
		{"too many seats", []string{account, "--seats=301"}, statusFailed, []string{"--seats is 301: must be from 2, since with one seat a slow request delays all others, to 300, half of the 600 seats of the API server"}},
		{"too few seats", []string{account, "--seats=1"}, statusFailed, []string{"--seats is 1: must be from 2"}},
		{"seats below zero", []string{account, "--seats=-1"}, statusFailed, []string{"--seats is -1: must not be negative"}},
		{"no room for a precedence", []string{account, beside(t, "2.yaml", own("mine", 8999, "pods"))}, statusFailed, []string{`no precedence is free for shop-web-leases, shop-web-events, shop-web between 8999, of FlowSchema "mine", which keeps its requests, and 9000, of "service-accounts", which would match all others first`}},
		{"it is isolated already", []string{account, beside(t, "3.yaml", own("rep-ns", 640, "'*'"))}, statusFailed, []string{"FlowSchema rep-ns already matches the requests of shop/web alone, and would match none afterwards: delete it first to move them"}},
		{"a name that no object may have", []string{account, "--name=Web"}, statusFailed, []string{`--name is "Web": a lowercase RFC 1123 subdomain must`}},
		{"accounts of several namespaces", []string{account, account, "--service-account=ci/web"}, statusFailed, []string{"shop/web, ci/web are of several namespaces: --name is required"}},
	}, "isolate", "--offline", "--release=1.33", "--total=600")
}

func TestIsolateSaysWhatItAssumed(t *testing.T) {
	t.Chdir(t.TempDir())
	invoke(t, []invocation{
		{"rights and seats", nil, statusOK, []string{
			"Note: No API server says what shop/web may do: it is assumed to use leases and to write events.",
			"It needs 20 seats of one API server: this is assumed, a thirtieth of 600. kubectl apf size says",
			"Its 9 shares are added to 245, and are 22 of 600 seats. Others pay with seats: ",
		}},
		{"a schema that keeps some of its requests", []string{beside(t, "pods.yaml", own("mine", 500, "pods"))}, statusOK, []string{
			"8900 is before service-accounts (9000), which has these requests today, and after mine (500),",
		}},
		{"a schema that has its leases already", []string{beside(t, "leases.yaml", own("mine", 500, "leases"))}, statusOK, []string{
			"Note: No flow schema is made for leases: all its requests match mine first.",
		}},
	}, "isolate", "--offline", "--release=1.33", "--total=600", "--service-account=shop/web")
}
