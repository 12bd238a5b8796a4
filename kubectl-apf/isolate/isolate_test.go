package isolate

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

var (
	now = time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	web = source.Account{Namespace: "shop", Name: "web"}
	dns = source.Account{Namespace: "kube-system", Name: "dns"}
)

func input(t *testing.T, accounts ...source.Account) Input {
	t.Helper()
	c, err := configuration.BuiltIn("1.33")
	require.NoError(t, err)
	c.Total = configuration.DefaultTotal
	return Input{Accounts: accounts, Configuration: c, Now: now}
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

// A finding is known if its code, object and field are: the next account has the same ones.
func TestFindingsOfOthersHideNone(t *testing.T) {
	first, err := Run(input(t, dns))
	require.NoError(t, err)
	in := input(t, source.Account{Namespace: "kube-system", Name: "proxy"})
	for _, o := range first.Objects {
		if o.FlowSchema != nil {
			in.Configuration.FlowSchemas = append(in.Configuration.FlowSchemas, o.FlowSchema)
		} else {
			in.Configuration.PriorityLevels = append(in.Configuration.PriorityLevels, o.PriorityLevel)
		}
	}
	second, err := Run(in)
	require.NoError(t, err)
	codes := func(r *Result) (all []string) {
		for _, f := range r.Findings {
			all = append(all, string(f.Code))
		}
		return all
	}
	require.NotEmpty(t, codes(first))
	assert.Subset(t, codes(second), codes(first))
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
	require.EqualError(t, err, "shop/web, kube-system/dns are of several namespaces: --name is required, the name of their priority level")
	in.Name = "both"
	r, err = Run(in)
	require.NoError(t, err)
	assert.Contains(t, summary(r), "FlowSchema both: precedence 700, to both", "where it is before the schemas of either")
}

// The API accepts the name * for all service accounts of a namespace, and the finding FC110 recommends it.
func TestAllServiceAccountsOfANamespace(t *testing.T) {
	all := source.Account{Namespace: "shop", Name: "*"}
	in := input(t, all)
	in.Facts.Namespaces, in.Facts.ServiceAccounts = []string{"shop"}, map[string][]string{"shop": {"cart", "web"}}
	in.May = may("web update coordination.k8s.io/leases shop", "cart create /events shop")
	r, err := Run(in)
	require.NoError(t, err)
	assert.Equal(t, []string{"FlowSchema shop-leases: precedence 8700, to leader-election", "FlowSchema shop-events: precedence 8800, to workload-low", "FlowSchema shop: precedence 8900, to shop"}, summary(r))
	for i := range r.Objects {
		if s := r.Objects[i].FlowSchema; s != nil {
			require.Len(t, s.Spec.Rules[0].Subjects, 1)
			assert.Equal(t, flowcontrolv1.ServiceAccountSubject{Namespace: "shop", Name: "*"}, *s.Spec.Rules[0].Subjects[0].ServiceAccount)
		}
	}
	assert.Positive(t, r.Diff.Moved)
	assert.True(t, r.IsClean(), r.Findings)
	in.Facts.ServiceAccounts = nil
	r, err = Run(in)
	require.NoError(t, err)
	assert.Len(t, summary(r), 3)
	assert.Contains(t, r.Notes, `It is not known which service accounts the namespace "shop" has: they are assumed to use leases and to write events.`)
	in.Facts.Namespaces = []string{"default"}
	_, err = Run(in)
	require.ErrorContains(t, err, `the namespace "shop" does not exist`)
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
	assert.NotContains(t, r.Objects[1].FlowSchema.Name, leasesSuffix)
	assert.Contains(t, r.Notes, `The priority level "leader-election" does not exist, so leases are in the operator's level: create it again, and repeat this.`)
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
			require.ErrorContains(t, err, "no precedence is free for x, y")
		}
	}
}

// TestWhateverTheSizeTheLevelHasItAndNoMore tries all sizes on servers of several sizes. The others
// pay in proportion: nominal seats are ceil(total*shares/sum), as kube-apiserver divides them.
func TestWhateverTheSizeTheLevelHasItAndNoMore(t *testing.T) {
	for _, total := range []int{40, 100, 600, 3001} {
		in := input(t, web)
		in.Configuration.Total = total
		for in.Seats = 2; in.Seats <= total/2; in.Seats += 1 + in.Seats/8 {
			r, err := Run(in)
			require.NoError(t, err)
			own := int(*r.Objects[0].PriorityLevel.Spec.Limited.NominalConcurrencyShares)
			nominal := func(shares, sum int) int { return int(math.Ceil(float64(total*shares) / float64(sum))) }
			assert.GreaterOrEqual(t, nominal(own, 245+own), in.Seats)
			assert.Less(t, nominal(own-1, 245+own-1), in.Seats, "fewer shares would not do: %d of %d seats", in.Seats, total)
			for _, l := range r.Diff.Levels {
				switch l.Name {
				case "shop-web":
					assert.Equal(t, nominal(own, 245+own), l.After.Nominal)
				case "workload-low":
					assert.Equal(t, nominal(100, 245+own), l.After.Nominal)
				}
			}
		}
		require.Greater(t, in.Seats, 2)
		_, err := Run(in)
		require.ErrorContains(t, err, "must be from 2, ")
	}
}

// Nominal seats are ceil(600*shares/sum), with a sum of 245 before and 254 after.
func TestWhoPaysIsSaid(t *testing.T) {
	r, err := Run(input(t, web))
	require.NoError(t, err)
	assert.Contains(t, r.Objects[0].Why, "Its 9 shares are added to 245, and are 22 of 600 seats. Others pay with seats: catch-all 1 of its 13, "+
		"global-default 1 of its 49, leader-election 1 of its 25, node-high 3 of its 98, system 3 of its 74, workload-high 3 of its 98, workload-low 8 of its 245.")
}

func TestAThirtiethOfTheSeatsIsAssumed(t *testing.T) {
	for total, want := range map[int]int{40: 2, 100: 3, 110: 4, 600: 20} {
		seats, _ := (&plan{Input: &Input{}}).need(total)
		assert.Equal(t, want, seats)
	}
}

func TestWhatIsIsolatedAlreadyIsAnError(t *testing.T) {
	in := input(t, web)
	first, err := Run(in)
	require.NoError(t, err)
	own := first.Objects[len(first.Objects)-1].FlowSchema.DeepCopy()
	own.Name, own.Spec.PriorityLevelConfiguration.Name = "own", "workload-low"
	in.Configuration.FlowSchemas = append(in.Configuration.FlowSchemas, own)
	_, err = Run(in)
	require.EqualError(t, err, "FlowSchema own already matches the requests of shop/web alone, and would match none afterwards: delete it first to move them")

	in.Configuration = applied(input(t).Configuration, first.Objects)
	_, err = Run(in)
	require.EqualError(t, err, "PriorityLevelConfiguration shop-web, FlowSchema shop-web-leases, FlowSchema shop-web-events, FlowSchema shop-web exists already: "+
		"choose another name by --name, or delete it if it is of an earlier run")
}

func TestJSON(t *testing.T) {
	r, err := Run(input(t, web))
	require.NoError(t, err)
	text, err := json.Marshal(r)
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(text, &fields))
	assert.ElementsMatch(t, []string{"name", "serviceAccounts", "objects", "diff", "findings", "notes"}, slices.Collect(maps.Keys(fields)))
	objects := fields["objects"].([]any)
	assert.ElementsMatch(t, []string{"priorityLevelConfiguration", "why"}, slices.Collect(maps.Keys(objects[0].(map[string]any))))
	assert.ElementsMatch(t, []string{"flowSchema", "why"}, slices.Collect(maps.Keys(objects[1].(map[string]any))))
	assert.Equal(t, []any{map[string]any{"namespace": "shop", "name": "web"}}, fields["serviceAccounts"])
}
