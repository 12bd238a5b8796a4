package classify

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	api "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// toAPI is the inverse of fromAPI. The level is exempt.
func toAPI(s rules.Schema) *api.FlowSchema {
	object := &api.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: s.Name},
		Spec: api.FlowSchemaSpec{
			MatchingPrecedence:         s.Precedence,
			PriorityLevelConfiguration: api.PriorityLevelConfigurationReference{Name: api.PriorityLevelConfigurationNameExempt},
		},
		// As the library would write it. Otherwise it would write hundreds of
		// statuses.
		Status: api.FlowSchemaStatus{Conditions: []api.FlowSchemaCondition{{
			Type: api.FlowSchemaConditionDangling, Status: api.ConditionFalse, Reason: "Found",
			Message: `This FlowSchema references the PriorityLevelConfiguration object named "exempt" and it exists`,
		}}},
	}
	for _, rule := range s.Rules {
		var policy api.PolicyRulesWithSubjects
		for _, subject := range rule.Subjects {
			policy.Subjects = append(policy.Subjects, subjectToAPI(subject))
		}
		for _, r := range rule.ResourceRules {
			policy.ResourceRules = append(policy.ResourceRules, api.ResourcePolicyRule{
				Verbs: r.Verbs, APIGroups: r.APIGroups, Resources: r.Resources, ClusterScope: r.ClusterScope, Namespaces: r.Namespaces,
			})
		}
		for _, r := range rule.NonResourceRules {
			policy.NonResourceRules = append(policy.NonResourceRules, api.NonResourcePolicyRule{Verbs: r.Verbs, NonResourceURLs: r.URLs})
		}
		object.Spec.Rules = append(object.Spec.Rules, policy)
	}
	return object
}

func subjectToAPI(s rules.Subject) api.Subject {
	switch s.Kind {
	case rules.User:
		return api.Subject{Kind: api.SubjectKindUser, User: &api.UserSubject{Name: s.Name}}
	case rules.Group:
		return api.Subject{Kind: api.SubjectKindGroup, Group: &api.GroupSubject{Name: s.Name}}
	case rules.ServiceAccount:
		return api.Subject{Kind: api.SubjectKindServiceAccount, ServiceAccount: &api.ServiceAccountSubject{Namespace: s.Namespace, Name: s.Name}}
	default:
		return api.Subject{Kind: "Nobody"}
	}
}

// peer is the library's engine with some schemas.
type peer struct{ flowcontrol.Interface }

// sentinel is a user that a schema of every peer matches.
const sentinel = "sentinel"

func newPeer(t *testing.T, schemas []rules.Schema) peer {
	t.Helper()
	// The library logs every request that no schema matches.
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	objects := []runtime.Object{bootstrap.MandatoryPriorityLevelConfigurationExempt}
	for _, s := range schemas {
		objects = append(objects, toAPI(s))
	}
	client := fake.NewClientset(objects...)
	factory := informers.NewSharedInformerFactory(client, 0)
	p := peer{flowcontrol.New(factory, client.FlowcontrolV1(), 100)}
	stop, done := make(chan struct{}), make(chan error)
	factory.Start(stop)
	go func() { done <- p.Run(stop) }()
	t.Cleanup(func() {
		close(stop)
		assert.NoError(t, <-done)
		factory.Shutdown()
	})
	eventually.Holds(t, "the library has read the schemas", func(a *eventually.Attempt) {
		require.Equal(a, sentinel, p.match(&flow.Attributes{User: sentinel, Path: "/"}))
	})
	return p
}

// match returns the name of the schema that the library chooses.
func (p peer) match(a *flow.Attributes) string {
	chosen := ""
	p.Handle(context.Background(), flowcontrol.RequestDigest{
		User: &user.DefaultInfo{Name: a.User, Groups: a.Groups},
		RequestInfo: &request.RequestInfo{
			IsResourceRequest: a.IsResourceRequest, Verb: a.Verb, Path: a.Path,
			APIGroup: a.APIGroup, Resource: a.Resource, Subresource: a.Subresource, Namespace: a.Namespace, Name: a.Name,
		},
	}, func(fs *api.FlowSchema, _ *api.PriorityLevelConfiguration, _ string) { chosen = fs.Name },
		func() fcrequest.WorkEstimate { return fcrequest.WorkEstimate{InitialSeats: 1} },
		func(bool) {}, func() {})
	return chosen
}

func TestMatchEqualsPeer(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 12))
	chosen := map[string]bool{}
	rounds := lane.Pick(30, 300)
	for round := range rounds {
		schemas := randomSchemas(random, 1+random.IntN(150))
		for i := range schemas {
			schemas[i].Name = fmt.Sprintf("round-%d-schema-%d", round, random.IntN(1000)*1000+i)
			schemas[i].Precedence += 2 // the sentinel's schema comes first
		}
		schemas = append(schemas, rules.Schema{Name: sentinel, Precedence: 1, Rules: []rules.Rule{{
			Subjects:         []rules.Subject{{Kind: rules.User, Name: sentinel}},
			NonResourceRules: []rules.NonResourceRule{{Verbs: all, URLs: all}},
		}}})
		library := newPeer(t, schemas)
		for _, mandatory := range bootstrap.MandatoryFlowSchemas {
			schemas = append(schemas, fromAPI(mandatory))
		}
		ours := New(schemas)
		for range 100 {
			a := randomRequest(random)
			got := api.FlowSchemaNameCatchAll
			if i := ours.Match(a); i >= 0 {
				got = ours.Schemas()[i].Name
			}
			require.Equal(t, library.match(a), got, "%+v", *a)
			chosen[got] = true
		}
	}
	assert.Greater(t, len(chosen), 3*rounds, "the requests are spread over many schemas")
}
