package isolate

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

var (
	now = time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	web = source.Account{Namespace: "shop", Name: "web"}
	dns = source.Account{Namespace: "kube-system", Name: "dns"}
)

// rolesOf returns a role of everything for the accounts.
func rolesOf(accounts ...source.Account) source.Roles {
	r := source.Roles{Accounts: accounts, ClusterRoles: []rbacv1.ClusterRole{{ObjectMeta: metav1.ObjectMeta{Name: "all"}, Rules: []rbacv1.PolicyRule{everyRule()}}}}
	binding := rbacv1.ClusterRoleBinding{RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "all"}}
	for _, a := range accounts {
		binding.Subjects = append(binding.Subjects, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: a.Namespace, Name: a.Name})
	}
	r.ClusterRoleBindings = []rbacv1.ClusterRoleBinding{binding}
	return r
}

func input(t *testing.T, accounts ...source.Account) Input {
	t.Helper()
	c, err := configuration.BuiltIn("1.33")
	require.NoError(t, err)
	c.Total = configuration.DefaultTotal
	return Input{Roles: rolesOf(accounts...), Configuration: c, Now: now}
}

// summary names the flow schemas of a result with their precedences and levels.
func summary(r *Result) (all []string) {
	for i := range r.Objects {
		if o := &r.Objects[i]; o.FlowSchema != nil {
			all = append(all, o.head())
		}
	}
	return all
}

func TestServiceAccountOfKubeSystem(t *testing.T) {
	r, err := Run(input(t, dns))
	require.NoError(t, err)
	assert.Equal(t, []string{"FlowSchema kube-system-dns-events: precedence 600, to workload-low", "FlowSchema kube-system-dns: precedence 700, to kube-system-dns"}, summary(r),
		"before kube-system-service-accounts, 900; kube-scheduler has 800")
	assert.Contains(t, r.Notes, "No flow schema is made for leases: all its requests match system-leader-election first.")
	assert.True(t, r.IsClean())
	require.NotEmpty(t, r.Findings, "its level has less than workload-high, and it is named: an info")
}

func TestServiceAccountsOfOneNamespaceShareALevel(t *testing.T) {
	other := source.Account{Namespace: "shop", Name: "cart"}
	r, err := Run(input(t, web, other))
	require.NoError(t, err)
	assert.Equal(t, "shop", r.Name)
	last := r.Objects[len(r.Objects)-1].FlowSchema
	assert.Len(t, last.Spec.Rules[0].Subjects, 2)
	assert.Equal(t, flowcontrolv1.FlowDistinguisherMethodByUserType, last.Spec.DistinguisherMethod.Type)

	in := input(t, web, dns)
	_, err = Run(in)
	require.EqualError(t, err, "shop/web, kube-system/dns are of several namespaces: --name must be given, the name of their priority level")
	in.Name = "both"
	r, err = Run(in)
	require.NoError(t, err)
	assert.Contains(t, summary(r), "FlowSchema both: precedence 700, to both", "where it is before the schemas of either")
}

func TestNames(t *testing.T) {
	for want, account := range map[string]source.Account{
		"shop-web": web, "cert-manager": {Namespace: "cert-manager", Name: "cert-manager"}, "cert-manager-webhook": {Namespace: "cert-manager", Name: "cert-manager-webhook"},
	} {
		got, err := nameOf("", []source.Account{account})
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

func TestWithoutALevelForLeaderElectionLeasesStay(t *testing.T) {
	in := input(t, web)
	var kept []*flowcontrolv1.PriorityLevelConfiguration
	for _, l := range in.Configuration.PriorityLevels {
		if l.Name != leaseLevel {
			kept = append(kept, l)
		}
	}
	in.Configuration.PriorityLevels = kept
	r, err := Run(in)
	require.NoError(t, err)
	assert.NotContains(t, r.Objects[2].FlowSchema.Name, leasesSuffix)
	assert.Contains(t, r.Notes, `The priority level "leader-election" does not exist, so leases are in the operator's level: create it again, and repeat this.`)
}

// usedSeats returns an API server whose levels need these seats.
func usedSeats(demands map[string]float64) replica.Replica {
	r := replica.Replica{Metrics: replica.Metrics{Levels: map[string]replica.LevelMetrics{}}}
	for name, demand := range demands {
		r.Metrics.Levels[name] = replica.LevelMetrics{DemandHighWatermark: demand}
	}
	return r
}

func TestLevelWithTheMostUnusedSeatsOnTheBusiestServerGives(t *testing.T) {
	for _, test := range []struct {
		name    string
		servers []replica.Replica
		giver   string
	}{
		// 1.33: workload-low 245, workload-high 98, global-default 49 of 600 seats; built-in
		// levels keep half.
		{"idle", []replica.Replica{usedSeats(map[string]float64{"workload-low": 1, "workload-high": 1})}, "workload-low"},
		{"workload-low is busy", []replica.Replica{usedSeats(map[string]float64{"workload-low": 230, "workload-high": 40})}, "workload-high"},
		{"workload-low is busy on one server", []replica.Replica{usedSeats(map[string]float64{"workload-low": 3}), usedSeats(map[string]float64{"workload-low": 230.5})}, "workload-high"},
		{"workload-low is busy by the dumps alone", []replica.Replica{{
			Levels:   []replica.Level{{Name: "workload-low", Waiting: 200, Executing: 2}, {Name: "workload-high"}},
			Requests: []replica.Request{{Level: "workload-low", Started: now, InitialSeats: 20}, {Level: "workload-low", Started: now, InitialSeats: 10}},
		}}, "workload-high"},
		{"only global-default is idle", []replica.Replica{usedSeats(map[string]float64{"workload-low": 245, "workload-high": 90})}, "global-default"},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := input(t, web)
			in.Replicas = test.servers
			r, err := Run(in)
			require.NoError(t, err)
			assert.Equal(t, test.giver, r.Objects[1].PriorityLevel.Name)
			assert.Equal(t, "false", r.Objects[1].PriorityLevel.Annotations[flowcontrolv1.AutoUpdateAnnotationKey])
			assert.True(t, r.IsClean(), "%v", r.Findings)
		})
	}
	in := input(t, web)
	in.Replicas = []replica.Replica{usedSeats(map[string]float64{"workload-low": 300, "workload-high": 90, "global-default": 49})}
	_, err := Run(in)
	require.EqualError(t, err, "no priority level has 20 seats to give: workload-high has 8 of 98 seats to give, global-default has 0 of 49 seats to give, workload-low has 0 of 245 seats to give; give fewer by --seats, or raise the seats of the API server, now 600")
}

func TestWhatALevelOfAUserHasBesidesItsSpecStays(t *testing.T) {
	in := input(t, web)
	shares := int32(400)
	in.Configuration.PriorityLevels = append(in.Configuration.PriorityLevels, &flowcontrolv1.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "mine", UID: "u", Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"c": "d", "kubectl.kubernetes.io/last-applied-configuration": "{}"}},
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{Type: flowcontrolv1.PriorityLevelEnablementLimited, Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
			NominalConcurrencyShares: &shares, LimitResponse: flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
		}},
	})
	in.Replicas = []replica.Replica{usedSeats(map[string]float64{"mine": 1, "workload-low": 90})}
	r, err := Run(in)
	require.NoError(t, err)
	giver := r.Objects[1].PriorityLevel
	assert.Empty(t, r.Findings, "that no flow schema names it is no news")
	assert.Equal(t, metav1.ObjectMeta{Name: "mine", Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"c": "d"}}, giver.ObjectMeta)
	assert.EqualValues(t, 400, *in.Configuration.PriorityLevels[len(in.Configuration.PriorityLevels)-1].Spec.Limited.NominalConcurrencyShares, "the input stays what it was")
	text, err := r.Manifests()
	require.NoError(t, err)
	assert.Contains(t, text, "  annotations:\n    c: d\n  labels:\n    a: b\n  name: mine\n")
}

func TestPrecedencesAreRoundAndUnused(t *testing.T) {
	for _, test := range []struct {
		lower, upper int32
		used         []int32
		want         []int32
	}{
		{2, 9000, nil, []int32{8800, 8900}},
		{2, 9000, []int32{8900, 8700}, []int32{8600, 8800}},
		{8799, 9000, nil, []int32{8800, 8900}},
		{8800, 9000, nil, []int32{8980, 8990}},
		{8980, 9000, nil, []int32{8998, 8999}},
		{8997, 9000, nil, []int32{8998, 8999}},
		{8996, 9000, []int32{8998}, []int32{8997, 8999}},
		{8998, 9000, nil, nil},
		{9100, 9000, nil, nil},
	} {
		b := bounds{lower: test.lower, upper: test.upper, lowerSchema: "a", upperSchema: "b", used: map[int32]bool{}}
		for _, used := range test.used {
			b.used[used] = true
		}
		got, err := b.choose([]string{"x", "y"})
		assert.Equal(t, test.want, got)
		if test.want == nil {
			require.ErrorContains(t, err, "there is no room for the precedence of x, y")
		}
	}
}

// TestWhateverTheSizeOnlyTheGivingLevelPays tries all sizes until no level can give so much.
func TestWhateverTheSizeOnlyTheGivingLevelPays(t *testing.T) {
	for _, total := range []int{40, 100, 600, 3001} {
		in := input(t, web)
		in.Configuration.Total = total
		made := 0
		for in.Seats = 2; ; in.Seats += 1 + in.Seats/8 {
			r, err := Run(in)
			if err != nil {
				require.ErrorContains(t, err, "seats to give")
				break
			}
			made++
			assert.Empty(t, r.Findings, "%d of %d seats", in.Seats, total)
			for _, l := range r.Diff.Levels {
				switch {
				case l.Before == nil:
					assert.GreaterOrEqual(t, l.After.Nominal, in.Seats)
				case l.Name != r.Objects[1].Name():
					assert.Equal(t, l.Before.Nominal, l.After.Nominal, "%s beside %d of %d seats", l.Name, in.Seats, total)
				}
			}
		}
		assert.GreaterOrEqual(t, made, 2, "%d seats", total)
	}
}

func TestJSON(t *testing.T) {
	r, err := Run(input(t, web))
	require.NoError(t, err)
	text, err := json.Marshal(r)
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(text, &fields))
	assert.ElementsMatch(t, []string{"name", "serviceAccounts", "roles", "objects", "diff", "findings", "suite", "notes"}, slices.Collect(maps.Keys(fields)))
	objects := fields["objects"].([]any)
	assert.ElementsMatch(t, []string{"priorityLevelConfiguration", "why"}, slices.Collect(maps.Keys(objects[0].(map[string]any))))
	assert.ElementsMatch(t, []string{"flowSchema", "why"}, slices.Collect(maps.Keys(objects[2].(map[string]any))))
	assert.Equal(t, []any{map[string]any{"namespace": "shop", "name": "web"}}, fields["serviceAccounts"])
}
