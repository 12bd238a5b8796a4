package explain

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/e2e/objects"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/requests"
)

// library is the engine of k8s.io/apiserver with some objects.
type library struct{ flowcontrol.Interface }

const sentinelPath = "/sentinel"

func newLibrary(t *testing.T, c configuration.Configuration) library {
	t.Helper()
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	var objects []runtime.Object
	for _, s := range c.FlowSchemas {
		s = s.DeepCopy()
		// As the library would write it. Otherwise it would write hundreds of statuses.
		s.Status.Conditions = []flowcontrolv1.FlowSchemaCondition{{
			Type: flowcontrolv1.FlowSchemaConditionDangling, Status: flowcontrolv1.ConditionFalse, Reason: "Found",
			Message: fmt.Sprintf("This FlowSchema references the PriorityLevelConfiguration object named %q and it exists", s.Spec.PriorityLevelConfiguration.Name),
		}}
		objects = append(objects, s)
	}
	for _, l := range c.PriorityLevels {
		objects = append(objects, l)
	}
	client := fake.NewClientset(objects...)
	factory := informers.NewSharedInformerFactory(client, 0)
	l := library{flowcontrol.New(factory, client.FlowcontrolV1(), 600)}
	stop, done := make(chan struct{}), make(chan error)
	factory.Start(stop)
	go func() { done <- l.Run(stop) }()
	t.Cleanup(func() {
		close(stop)
		assert.NoError(t, <-done)
		factory.Shutdown()
	})
	eventually.Holds(t, "the library has read the objects", func(a *eventually.Attempt) {
		h, err := Request{Verb: "get", Path: sentinelPath}.http()
		require.NoError(a, err)
		schema, _, _ := l.classify(h, &user.DefaultInfo{Name: "sentinel"})
		require.Equal(a, "sentinel", schema)
	})
	return l
}

// classify returns the flow schema, the priority level and the flow distinguisher that
// the library chooses.
func (l library) classify(h httpRequest, who user.Info) (schema, level, distinguisher string) {
	l.Handle(context.Background(), flowcontrol.RequestDigest{User: who, RequestInfo: h.info},
		func(fs *flowcontrolv1.FlowSchema, pl *flowcontrolv1.PriorityLevelConfiguration, d string) {
			schema, level, distinguisher = fs.Name, pl.Name, d
		},
		func() fcrequest.WorkEstimate { return fcrequest.WorkEstimate{InitialSeats: 1} },
		func(bool) {}, func() {})
	return schema, level, distinguisher
}

// sentinel is a flow schema that shows that the library has read the objects.
func sentinel() *flowcontrolv1.FlowSchema {
	return objects.Schema("sentinel", bootstrap.MandatoryPriorityLevelConfigurationExempt.Name, 1, flowcontrolv1.PolicyRulesWithSubjects{
		Subjects:         []flowcontrolv1.Subject{{Kind: "User", User: &flowcontrolv1.UserSubject{Name: "sentinel"}}},
		NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: []string{"*"}, NonResourceURLs: []string{sentinelPath}}},
	})
}

// TestExplainAgreesWithTheLibraryAndWithTheIndex compares the flow schema with the
// library's, and the trace, which compares the rules one at a time, with the
// index of the engine.
func TestExplainAgreesWithTheLibraryAndWithTheIndex(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 41))
	chosen := map[string]int{}
	for round := range lane.Pick(10, 100) {
		c := builtIn()
		if round > 0 {
			c.FlowSchemas = append(c.FlowSchemas, requests.FlowSchemas(random, 40)...)
		}
		c.FlowSchemas = append(c.FlowSchemas, sentinel())
		library := newLibrary(t, c)
		e := New(Input{Configuration: c, Now: epoch})
		for range 500 {
			line := requests.Line(random)
			parsed, err := lineParser().Line(line)
			require.NoError(t, err, line)
			require.Len(t, parsed, 1)
			request := parsed[0]
			a, err := e.Explain(request)
			require.NoError(t, err, line)

			h, err := request.http()
			require.NoError(t, err)
			schema, level, distinguisher := library.classify(h, &user.DefaultInfo{Name: a.Request.User, Groups: a.Request.Groups})
			require.Equal(t, schema, a.FlowSchema.Name, line)
			require.Equal(t, level, a.PriorityLevel.Name, line)
			if len(a.Flow.Hand) > 0 {
				require.Equal(t, distinguisher, a.Flow.Distinguisher, line)
			}
			requireTrace(t, e, a, h)
			chosen[schema]++
		}
	}
	assert.Greater(t, len(chosen), 40, "the requests are spread over many flow schemas")
}

// requireTrace requires that the flow schema is the first without a mismatch.
func requireTrace(t *testing.T, e *Explainer, a Answer, h httpRequest) {
	t.Helper()
	last := len(a.Trace) - 1
	require.Equal(t, a.FlowSchema.Name, a.Trace[last].FlowSchema)
	require.True(t, a.Trace[last].Matches)
	for i, step := range a.Trace[:last] {
		require.False(t, step.Matches)
		require.NotEmpty(t, step.Reasons)
		require.Equal(t, e.inForce.Schemas()[i].Name, step.FlowSchema)
	}
	begun := e.inForce.Begin()
	defer begun.End()
	filter.FillAttributes(&begun.Attributes, h.info, &user.DefaultInfo{Name: a.Request.User, Groups: a.Request.Groups})
	begun.Classify()
	require.Equal(t, begun.Schema().Name, a.FlowSchema.Name)
	if begun.Level().Queues > 1 {
		require.Equal(t, begun.Distinguisher, a.Flow.Distinguisher)
	}
	if begun.MaxWidth() > 0 {
		require.Equal(t, begun.MaxWidth(), a.Seats.LevelBound)
	}
}
