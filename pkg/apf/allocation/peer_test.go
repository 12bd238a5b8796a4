package allocation

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	api "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// peerLimits runs the library's engine with the given levels on a server of
// total seats. The first level is the exempt one, the second is catch-all. It
// returns the nominal, lower, upper and current limit of each level by name.
func peerLimits(t *testing.T, total int, names []string, shares []Share) map[string][4]int {
	t.Helper()
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	metrics.Register()
	metrics.Reset()
	var objects []runtime.Object
	for i, s := range shares {
		level := &api.PriorityLevelConfiguration{ObjectMeta: metav1.ObjectMeta{Name: names[i]}}
		if i == 0 {
			level.Spec = api.PriorityLevelConfigurationSpec{
				Type:   api.PriorityLevelEnablementExempt,
				Exempt: &api.ExemptPriorityLevelConfiguration{NominalConcurrencyShares: &s.Shares, LendablePercent: &s.LendablePercent},
			}
		} else {
			level.Spec = api.PriorityLevelConfigurationSpec{
				Type: api.PriorityLevelEnablementLimited,
				Limited: &api.LimitedPriorityLevelConfiguration{
					NominalConcurrencyShares: &s.Shares, LendablePercent: &s.LendablePercent, BorrowingLimitPercent: s.BorrowingLimitPercent,
					LimitResponse: api.LimitResponse{Type: api.LimitResponseTypeReject},
				},
			}
		}
		objects = append(objects, level)
	}
	var limits map[string][4]int
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset(objects...)
		// With resyncs the informers wait for a timer of the bubble. Without resyncs
		// they wait for a channel from outside, and synctest.Wait would wait for it
		// too.
		factory := informers.NewSharedInformerFactory(client, time.Hour)
		engine := flowcontrol.New(factory, client.FlowcontrolV1(), total)
		stop, done := make(chan struct{}), make(chan error)
		factory.Start(stop)
		go func() { done <- engine.Run(stop) }()
		<-time.After(time.Second)
		synctest.Wait()
		limits = gatherLimits(t)
		require.Len(t, limits, len(names))
		close(stop)
		require.NoError(t, <-done)
		factory.Shutdown()
	})
	return limits
}

func gatherLimits(t *testing.T) map[string][4]int {
	t.Helper()
	families, err := legacyregistry.DefaultGatherer.Gather()
	require.NoError(t, err)
	limits := map[string][4]int{}
	for _, family := range families {
		for i, kind := range []string{"nominal", "lower", "upper", "current"} {
			if family.GetName() != "apiserver_flowcontrol_"+kind+"_limit_seats" {
				continue
			}
			for _, metric := range family.GetMetric() {
				name := metric.GetLabel()[0].GetValue()
				l := limits[name]
				l[i] = int(metric.GetGauge().GetValue())
				limits[name] = l
			}
		}
	}
	return limits
}

func TestLimitsEqualThoseOfPeer(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 22))
	currents := 0
	for round := range 100 {
		total := 1 + random.IntN(1500)
		shares := append([]Share{{}, {Shares: 5}}, randomShares(random)...)
		names := []string{"exempt", "catch-all"}
		for i := range shares[2:] {
			names = append(names, fmt.Sprintf("round-%d-level-%d", round, i))
		}
		want := peerLimits(t, total, names, shares)
		ours := Nominal(total, shares)
		levels := make([]Level, len(shares))
		for i := range shares {
			levels[i] = Level{Limits: ours[i], Exempt: i == 0}
		}
		current := Current(total, levels)
		for i, name := range names {
			assert.Equal(t, want[name][0], ours[i].Nominal, "nominal limit of %+v of %d", shares[i], total)
			assert.Equal(t, want[name][1], ours[i].Lower, "lower limit of %+v of %d", shares[i], total)
			// Issue 129086: the library's upper limit may exceed the total.
			assert.Equal(t, min(total, want[name][2]), ours[i].Upper, "upper limit of %+v of %d", shares[i], total)
		}
		for i, name := range names[1:] {
			// Issue 134196: at a limit of zero the library admits one request.
			limits := want[name]
			limits[3] = max(limits[3], min(1, ours[i+1].Nominal))
			want[name] = limits
		}
		if peerKeepsWithinBounds(total, names, want) {
			currents++
			for i, name := range names {
				margin := 0.0
				if isHalf(current.FairFraction * current.Targets[i]) {
					margin = 1
				}
				assert.InDelta(t, want[name][3], current.Current[i], margin, "current limit of %+v of %d", shares[i], total)
			}
		}
	}
	assert.Greater(t, currents, 60)
}

// isHalf reports whether seats are in the middle of two integers: errors of the sums, which
// the library forms in another order, then decide which of them they are rounded to.
func isHalf(seats float64) bool {
	_, part := math.Modf(seats)
	return math.Abs(part-0.5) < 1e-9
}

// peerKeepsWithinBounds reports whether the library's current limits must equal
// this package's: no level is above the server's total, and the sum is within
// one seat per level of it.
func peerKeepsWithinBounds(total int, names []string, limits map[string][4]int) bool {
	sum := 0
	for _, name := range names {
		if limits[name][3] > total {
			return false
		}
		sum += limits[name][3]
	}
	return sum <= total+len(names)
}
