package allocation_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	api "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	flowcontrolclient "k8s.io/client-go/kubernetes/typed/flowcontrol/v1"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
)

const (
	exempt   = api.PriorityLevelConfigurationNameExempt
	catchAll = api.PriorityLevelConfigurationNameCatchAll
)

// site is the configuration of a server with total seats.
type site struct {
	total  int
	levels []level
}

// level is a priority level with a schema of the same name. The schema matches
// all requests of the user of that name.
type level struct {
	name string
	allocation.Share
	queues, handSize int32
}

// randomSite returns a site with a random exempt level, catch-all, and up to
// six levels whose names begin with the prefix.
func randomSite(random *rand.Rand, prefix string) site {
	s := site{
		total: 1 + random.IntN(200),
		levels: []level{
			{name: exempt},
			{name: catchAll, Share: allocation.Share{Shares: 5}, queues: 1, handSize: 1},
		},
	}
	for i := range 1 + random.IntN(6) {
		l := level{
			name:   fmt.Sprintf("%s-level-%d", prefix, i),
			Share:  allocation.Share{Shares: random.Int32N(100), LendablePercent: random.Int32N(101)},
			queues: 1 + random.Int32N(16),
		}
		l.handSize = 1 + random.Int32N(min(l.queues, 4))
		if random.IntN(2) == 0 {
			l.BorrowingLimitPercent = new(random.Int32N(500))
		}
		s.levels = append(s.levels, l)
	}
	return s
}

func (l level) objects() []runtime.Object {
	spec := api.PriorityLevelConfigurationSpec{
		Type:   api.PriorityLevelEnablementExempt,
		Exempt: &api.ExemptPriorityLevelConfiguration{NominalConcurrencyShares: &l.Shares, LendablePercent: &l.LendablePercent},
	}
	subject := api.Subject{Kind: api.SubjectKindUser, User: &api.UserSubject{Name: l.name}}
	if l.name != exempt {
		spec = api.PriorityLevelConfigurationSpec{
			Type: api.PriorityLevelEnablementLimited,
			Limited: &api.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: &l.Shares, LendablePercent: &l.LendablePercent, BorrowingLimitPercent: l.BorrowingLimitPercent,
				LimitResponse: api.LimitResponse{Type: api.LimitResponseTypeQueue, Queuing: &api.QueuingConfiguration{
					Queues: l.queues, HandSize: l.handSize, QueueLengthLimit: 10000,
				}},
			},
		}
	}
	all := []string{"*"}
	return []runtime.Object{
		&api.PriorityLevelConfiguration{ObjectMeta: metav1.ObjectMeta{Name: l.name}, Spec: spec},
		&api.FlowSchema{
			ObjectMeta: metav1.ObjectMeta{Name: l.name},
			Spec: api.FlowSchemaSpec{
				MatchingPrecedence:         100,
				PriorityLevelConfiguration: api.PriorityLevelConfigurationReference{Name: l.name},
				Rules: []api.PolicyRulesWithSubjects{{
					Subjects:         []api.Subject{subject},
					NonResourceRules: []api.NonResourcePolicyRule{{Verbs: all, NonResourceURLs: all}},
				}},
			},
			// As the library would write it. If the library had to write a status, it
			// would configure itself again in the middle of a period.
			Status: api.FlowSchemaStatus{Conditions: []api.FlowSchemaCondition{{
				Type: api.FlowSchemaConditionDangling, Status: api.ConditionFalse, Reason: "Found",
				Message: fmt.Sprintf("This FlowSchema references the PriorityLevelConfiguration object named %q and it exists", l.name),
			}}},
		},
	}
}

// member is one of the two engines.
type member struct {
	flowcontrol.Interface
	registry prometheus.Gatherer
}

type constructor func(informers.SharedInformerFactory, flowcontrolclient.FlowcontrolV1Interface) flowcontrol.Interface

// start runs both engines until the bubble ends. The periods of both begin at
// the same time.
func start(t *testing.T, s site) (peer, ours member) {
	t.Helper()
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	metrics.Register()
	metrics.Reset()
	peer.registry = legacyregistry.DefaultGatherer
	peer.Interface = prepare(t, s, func(f informers.SharedInformerFactory, c flowcontrolclient.FlowcontrolV1Interface) flowcontrol.Interface {
		return flowcontrol.New(f, c, s.total)
	})
	ours.Interface = prepare(t, s, func(f informers.SharedInformerFactory, c flowcontrolclient.FlowcontrolV1Interface) flowcontrol.Interface {
		config := apf.ConfigFor(f, c, s.total)
		config.SchemaPatcher = nil
		engine, err := apf.New(config)
		require.NoError(t, err)
		ours.registry = engine.Registry()
		return engine
	})
	stop := make(chan struct{})
	var running sync.WaitGroup
	for _, m := range []member{peer, ours} {
		running.Go(func() { assert.NoError(t, m.Run(stop)) })
	}
	t.Cleanup(func() {
		close(stop)
		running.Wait()
	})
	synctest.Wait()
	return peer, ours
}

// prepare returns an engine whose informers have its configuration.
func prepare(t *testing.T, s site, newEngine constructor) flowcontrol.Interface {
	t.Helper()
	var objects []runtime.Object
	for _, l := range s.levels {
		objects = append(objects, l.objects()...)
	}
	client := fake.NewClientset(objects...)
	// With hourly resyncs the informers wait for a timer of the bubble. Without
	// resyncs they wait for a channel from outside, and virtual time would stand
	// still.
	factory := informers.NewSharedInformerFactory(client, time.Hour)
	engine := newEngine(factory, client.FlowcontrolV1())
	stop := make(chan struct{})
	factory.Start(stop)
	t.Cleanup(func() {
		close(stop)
		factory.Shutdown()
	})
	factory.WaitForCacheSync(stop)
	return engine
}

// figures holds the values of the named families by level. Names omit the
// common prefix.
type figures map[string]map[string]float64

const (
	nominal      = "nominal_limit_seats"
	upper        = "upper_limit_seats"
	lower        = "lower_limit_seats"
	currentLimit = "current_limit_seats"
	highest      = "demand_seats_high_watermark"
	average      = "demand_seats_average"
	deviation    = "demand_seats_stdev"
	smoothed     = "demand_seats_smoothed"
)

func (m member) gather(t *testing.T) figures {
	t.Helper()
	families, err := m.registry.Gather()
	require.NoError(t, err)
	out := figures{}
	for _, family := range families {
		name, ok := strings.CutPrefix(family.GetName(), "apiserver_flowcontrol_")
		if !ok {
			continue
		}
		switch name {
		case nominal, upper, lower, currentLimit, highest, average, deviation, smoothed:
		default:
			continue
		}
		for _, metric := range family.GetMetric() {
			level := metric.GetLabel()[0].GetValue()
			if out[level] == nil {
				out[level] = map[string]float64{}
			}
			out[level][name] = metric.GetGauge().GetValue()
		}
	}
	return out
}
