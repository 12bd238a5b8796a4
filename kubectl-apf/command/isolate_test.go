package command

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/explain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/operators"
)

// explainer explains requests with files over the built-in objects of 1.33.
func explainer(t *testing.T, files ...string) *explain.Explainer {
	t.Helper()
	options := source.Options{Offline: true, Release: "1.33", Total: configuration.DefaultTotal}
	options.Files.Filenames = files
	from, err := source.New(options)
	require.NoError(t, err)
	c, err := from.Configuration(t.Context())
	require.NoError(t, err)
	return explain.New(explain.Input{Configuration: c, Now: now})
}

func explained1(t *testing.T, e *explain.Explainer, line string) explain.Answer {
	t.Helper()
	requests, err := explain.Parser{Mapper: explain.Offline()}.Line(line)
	require.NoError(t, err, line)
	require.Len(t, requests, 1, line)
	answer, err := e.Explain(requests[0])
	require.NoError(t, err, line)
	return answer
}

func TestRequestsOfAnIsolatedOperatorLandWhereTheyBelongAndNobodyElseMoves(t *testing.T) {
	before := explainer(t)
	for _, o := range operators.All() {
		t.Run(o.File, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write(t, o.File, o.Manifest())
			arguments := append([]string{"isolate", "--offline", "--release=1.33", "-f", o.File, "-o", "yaml"}, o.Flags...)
			got := run(t, arguments...)
			require.Zero(t, got.status, got.errOut)
			write(t, o.Name+".yaml", got.out)
			assert.Contains(t, got.errOut, "kubectl apf lint finds nothing in these objects.")

			after := explainer(t, o.Name+".yaml")
			for _, r := range o.Requests {
				answer := explained1(t, after, r.Line)
				assert.Equal(t, r.Schema+" "+r.Level, answer.FlowSchema.Name+" "+answer.PriorityLevel.Name, r.Line)
			}
			for _, line := range operators.Others() {
				was, is := explained1(t, before, line), explained1(t, after, line)
				assert.Equal(t, was.FlowSchema.Name+" "+was.PriorityLevel.Name+" "+was.Flow.Hash, is.FlowSchema.Name+" "+is.PriorityLevel.Name+" "+is.Flow.Hash, line)
			}
			lint := run(t, "lint", "--offline", "--release=1.33", "--fail-on=info", "-f", o.Name+".yaml")
			assert.Zero(t, lint.status, lint.out)
		})
	}
}

func TestEachLevelPaysInProportion(t *testing.T) {
	t.Chdir(t.TempDir())
	o := operators.All()[0]
	write(t, o.File, o.Manifest())
	got := run(t, append([]string{"isolate", "--offline", "--release=1.33", "-f", o.File, "-o", "json"}, o.Flags...)...)
	require.Zero(t, got.status, got.errOut)
	var result struct {
		Diff struct {
			PriorityLevels []struct {
				Name          string
				Before, After *struct{ Nominal int }
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &result))
	changed := map[string][2]int{}
	for _, l := range result.Diff.PriorityLevels {
		switch {
		case l.Before == nil:
			changed[l.Name] = [2]int{0, l.After.Nominal}
		case *l.Before != *l.After:
			changed[l.Name] = [2]int{l.Before.Nominal, l.After.Nominal}
		}
	}
	// ceil(600*9/254) is 22, and 8 of 253 shares would be 19. The others have ceil(600*n/254).
	assert.Equal(t, map[string][2]int{
		"cert-manager": {0, 22}, "workload-low": {245, 237}, "workload-high": {98, 95}, "system": {74, 71}, "node-high": {98, 95},
		"global-default": {49, 48}, "leader-election": {25, 24}, "catch-all": {13, 12},
	}, changed)
}

func TestIsolateNamesItsObjects(t *testing.T) {
	got := newAPIServer(t).run(t, "isolate", "--for=deploy/robot", "-o", "name")
	require.Zero(t, got.status, got.errOut)
	assert.Equal(t, `prioritylevelconfiguration.flowcontrol.apiserver.k8s.io/shop-default
flowschema.flowcontrol.apiserver.k8s.io/shop-default-leases
flowschema.flowcontrol.apiserver.k8s.io/shop-default
`, got.out)
}

func TestIsolateReadsLinesOfRequestsAndTraces(t *testing.T) {
	t.Chdir(t.TempDir())
	const head, tail = `I0505 10:00:00.000000 1 httplog.go:134] "HTTP" verb=`, ` userAgent="web/v1" audit-ID="1" srcIP="10.1.2.3:4" apf_pl="workload-low" apf_fs="service-accounts" apf_fseats=0 apf_additionalLatency="0s" `
	write(t, "http.log", head+`"LIST" URI="/api/v1/namespaces/shop/pods" latency="1s"`+tail+`apf_iseats=5 apf_execution_time="1s" resp=200
`+head+`"GET" URI="/apis/coordination.k8s.io/v1/namespaces/shop/leases/web" latency="1s"`+tail+`apf_iseats=1 apf_execution_time="1s" resp=200
`)
	write(t, "users.yaml", `users: [{userAgent: web, user: "system:serviceaccount:shop:web"}]`)
	write(t, "operator.yaml", roleOf(readsPods))
	arguments := []string{"isolate", "--offline", "--release=1.33", "-f=operator.yaml", "--service-account=shop/web"}
	unknown := run(t, append(arguments, "--http-log=http.log")...)
	assert.Equal(t, statusFailed, unknown.status)
	assert.Contains(t, unknown.errOut, "the log has no request of shop/web; 2 of its 2 requests name no user: --users says whose they are")
	read := run(t, append(arguments, "--http-log=http.log", "--users=users.yaml")...)
	require.Zero(t, read.status, read.errOut)
	assert.Contains(t, read.out, "It needs 7 seats of one API server: its requests in the log held 5 at once", "the lease is of another level")
	assert.Contains(t, read.out, "MOVES: 2 of 2 requests of the log")

	recorded := run(t, "record", "--http-log=http.log", "--users=users.yaml", "-o", "web.trace")
	require.Zero(t, recorded.status, recorded.errOut)
	assert.Equal(t, read.out, run(t, append(arguments, "--trace=web.trace")...).out)
	assert.Contains(t, run(t, append(arguments, "--trace=gone")...).errOut, "gone")
}

// bound is the manifest of a service account with a role of its own.
const bound = `---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, namespace: shop}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: web}, rules: [%s]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: web}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: web}
subjects: [{kind: ServiceAccount, name: web, namespace: shop}]
---
`

func roleOf(rules ...string) string {
	return strings.Replace(bound, "%s", strings.Join(rules, ", "), 1)
}

const (
	readsPods = `{verbs: [list], apiGroups: [""], resources: [pods]}`
	// ownSchema is a flow schema of the service account alone, at a precedence.
	ownSchema = `
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
)

func TestIsolateSaysWhyItCannot(t *testing.T) {
	own := func(name string, precedence int, resources string) string {
		return fmt.Sprintf(ownSchema, name, precedence, resources)
	}
	const account = "--service-account=shop/web"
	for _, test := range []struct {
		name, files string
		args        []string
		says        string
	}{
		{"nobody is named", "", nil, "--service-account or --for must be given, the operator to isolate"},
		{"a service account without a namespace", "", []string{"--service-account=web"}, `--service-account is "web": must be NAMESPACE/NAME`},
		{"a workload of another kind", "", []string{"--for=job/web"}, `--for is "job/web": must be deployment/NAME, statefulset/NAME or daemonset/NAME`},
		{"an unknown service account", roleOf(readsPods), []string{"--service-account=shop/wed"}, "ServiceAccount shop/wed is in none of the files, and no cluster is asked: give its manifest with -f."},
		{"an unknown workload", roleOf(readsPods), []string{"--for=deployment/web", "-n=shop"}, "Deployment shop/web is in none of the files"},
		{
			"a deployment without a service account", "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {template: {spec: {}}}}\n",
			[]string{"--for=deployments/web", "-n=shop"},
			`Deployment shop/web names no service account, so its pods share "default" with all others in the namespace shop: set serviceAccountName in its pod template, or give --service-account=shop/default to isolate them all.`,
		},
		{
			"no roles at all", "---\n{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, namespace: shop}}\n", []string{account},
			"service account shop/web: no role is bound to it and no log is given, so nothing is known of its requests: give its roles with -f, or a log",
		},
		{"a name that is taken", roleOf(readsPods), []string{account, "--name=workload-high"}, "PriorityLevelConfiguration workload-high exists already: choose another name by --name, or delete it if it is of an earlier run"},
		{"the name of a flow schema is taken", roleOf(readsPods) + own("shop-web", 9950, "pods"), []string{account}, "FlowSchema shop-web exists already"},
		{"too many seats", roleOf(readsPods), []string{account, "--seats=301"}, "--seats is 301: must be from 2, since with one seat a slow request delays all others, to 300, half of the 600 seats of the API server"},
		{"too few seats", roleOf(readsPods), []string{account, "--seats=1"}, "--seats is 1: must be from 2"},
		{"seats below zero", roleOf(readsPods), []string{account, "--seats=-1"}, "--seats is -1: must not be negative"},
		{
			"no room for a precedence", roleOf(readsPods) + own("mine", 8999, "pods"), []string{account},
			`there is no room for the precedence of shop-web between 8999, of FlowSchema "mine", which keeps its requests, and 9000, of "service-accounts", which would match all others first`,
		},
		{
			"it is isolated already", roleOf(readsPods) + own("rep-ns", 640, "'*'"), []string{account},
			"FlowSchema rep-ns already matches the requests of shop/web alone, and would match none afterwards: delete it first to move them",
		},
		{"a name that no object may have", roleOf(readsPods), []string{account, "--name=Web"}, `--name is "Web": a lowercase RFC 1123 subdomain must`},
		{"accounts of several namespaces", roleOf(readsPods), []string{account, "--service-account=shop/web", "--service-account=ci/web"}, "ServiceAccount ci/web is in none of the files"},
		{"a log without its requests", roleOf(readsPods), []string{account, "--audit-log=audit.log"}, "the log has no request of shop/web"},
		{"a trace and a log", roleOf(readsPods), []string{account, "--audit-log=audit.log", "--trace=a.trace"}, "--trace and logs exclude each other: a trace is made of logs"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write(t, "operator.yaml", test.files)
			write(t, "audit.log", auditEvent)
			arguments := append([]string{"isolate", "--offline", "--release=1.33", "--total=600"}, test.args...)
			if test.files != "" {
				arguments = append(arguments, "-f=operator.yaml")
			}
			got := run(t, arguments...)
			assert.Equal(t, statusFailed, got.status, got.out)
			assert.Contains(t, got.errOut, "error: "+test.says)
			assert.Equal(t, 1, strings.Count(got.errOut, "\n"), got.errOut)
		})
	}
}

func TestIsolateSaysWhatItAssumed(t *testing.T) {
	for _, test := range []struct {
		name, files string
		args        []string
		says        []string
	}{
		{"no leases, no events", roleOf(readsPods), nil, []string{
			"Note: It has no right to update leases, so no flow schema is made for leader election.",
			"Note: It has no right to create events, so no flow schema is made for them.",
		}},
		{"rights of everything", roleOf(`{verbs: ["*"], apiGroups: ["*"], resources: ["*"]}`), nil, []string{
			"Note: ClusterRole web lets shop/web do everything. It is assumed to use leases and to write events; a log would tell.",
			"Its roles allow updates of leases in all namespaces, and no log says which it uses: these are",
		}},
		{"a role that is nowhere", strings.Replace(roleOf(readsPods), "kind: ClusterRole, metadata: {name: web}", "kind: ClusterRole, metadata: {name: other}", 1), nil, []string{
			"Note: ClusterRole web is bound to shop/web, and its rules are unknown: give its manifest with -f.",
			"Note: It is assumed that shop/web may do everything.",
		}},
		{"seats without a log", roleOf(readsPods), nil, []string{
			"It needs 20 seats of one API server: this is assumed, a thirtieth of 600; a log says how many its",
			"Its 9 shares are added to 245, and are 22 of 600 seats: each other level has 3.5 % fewer seats,",
		}},
		{"seats of a log", roleOf(readsPods), []string{"--audit-log=audit.log"}, []string{
			"It needs 2 seats of one API server: its requests in the log held 1 at once, and a quarter more is",
			"MOVES: 1 of 2 requests of the log",
		}},
		{"a schema that keeps some of its requests", roleOf(readsPods) + fmt.Sprintf(ownSchema, "mine", 500, "pods"), nil, []string{
			"8900 is before service-accounts (9000), which has these requests today, and after mine (500),",
		}},
		{"a schema that has its leases already", roleOf(`{verbs: [update], apiGroups: [coordination.k8s.io], resources: [leases]}`) + fmt.Sprintf(ownSchema, "mine", 500, "leases"), nil, []string{
			"Note: No flow schema is made for leases: all its requests match mine first.",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write(t, "operator.yaml", test.files)
			write(t, "audit.log", auditEvent+strings.NewReplacer(`"robot"`, `"system:serviceaccount:shop:web"`, "429", "200").Replace(auditEvent))
			got := run(t, append([]string{"isolate", "--offline", "--release=1.33", "--total=600", "-f=operator.yaml", "--service-account=shop/web"}, test.args...)...)
			require.Zero(t, got.status, got.errOut)
			for _, text := range test.says {
				assert.Contains(t, got.out, text)
			}
		})
	}
}
