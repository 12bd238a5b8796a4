package storm

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server/filters"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

const (
	seats = 20
	// requestTimeout is the deadline of a request that names none, as kube-apiserver's.
	requestTimeout = time.Minute
	// resync is longer than any storm, since informers that resync wait outside of the bubble.
	resync = 1000 * time.Hour
)

// engines are the names of the columns' sides.
var engines = []string{"library", "ours"}

// withTenants is this engine with --flow-control-tenants=service-account-namespaces.
const withTenants = "ours, with tenants"

// newFilter returns an engine and its filter.
func newFilter(t *testing.T, engine string, client *fake.Clientset, factory informers.SharedInformerFactory) (flowcontrol.Interface, func(http.Handler) http.Handler) {
	t.Helper()
	if engine != "library" {
		config := apf.ConfigFor(factory, client.FlowcontrolV1(), seats)
		if engine == withTenants {
			config.Tenants = rules.ServiceAccountNamespaces
		}
		control, err := apf.New(config)
		require.NoError(t, err)
		return control, control.Filter(apf.FilterOptions{WaitLimit: requestTimeout / 4}).Handler
	}
	metrics.Register()
	metrics.Reset()
	control := flowcontrol.New(factory, client.FlowcontrolV1(), seats)
	nothing := func(string) (int64, error) { return 0, nil }
	estimator := fcrequest.NewWorkEstimator(nothing, control.GetInterestedWatchCount, fcrequest.DefaultWorkEstimatorConfig(), control.GetMaxSeats)
	return control, func(next http.Handler) http.Handler {
		return filters.WithPriorityAndFairness(next, nil, control, estimator, requestTimeout/4)
	}
}

// runOn runs a function beside a server with one of the engines, in a bubble.
func runOn(t *testing.T, engine string, run func(server http.Handler)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset(level(), schema())
		factory := informers.NewSharedInformerFactory(client, resync)
		control, filter := newFilter(t, engine, client, factory)
		done := make(chan struct{})
		factory.Start(done)
		var running sync.WaitGroup
		running.Go(func() { assert.NoError(t, control.Run(done)) })
		<-time.After(time.Second) // the objects are applied
		run(filter(http.HandlerFunc(serve)))
		close(done)
		running.Wait()
		factory.Shutdown()
		<-time.After(time.Second) // work queues notice their end at their next tick
	})
}

func level() *flowcontrolv1.PriorityLevelConfiguration {
	level := objects.LevelOf("stormed", 1000)
	level.Spec.Limited.LimitResponse = flowcontrolv1.LimitResponse{
		Type:    flowcontrolv1.LimitResponseTypeQueue,
		Queuing: &flowcontrolv1.QueuingConfiguration{Queues: 64, HandSize: 6, QueueLengthLimit: 50},
	}
	return level
}

func schema() *flowcontrolv1.FlowSchema {
	all := []string{"*"}
	return &flowcontrolv1.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: "users"},
		Spec: flowcontrolv1.FlowSchemaSpec{
			MatchingPrecedence:         100,
			DistinguisherMethod:        &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodByUserType},
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "stormed"},
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects: []flowcontrolv1.Subject{{
					Kind: flowcontrolv1.SubjectKindGroup, Group: &flowcontrolv1.GroupSubject{Name: user.AllAuthenticated},
				}},
				ResourceRules: []flowcontrolv1.ResourcePolicyRule{{Verbs: all, APIGroups: all, Resources: all, ClusterScope: true, Namespaces: all}},
			}},
		},
	}
}

// attempt is a request on its way through the server, and its response.
type attempt struct {
	takes    time.Duration
	executed bool
	status   int
	header   http.Header
}

var _ http.ResponseWriter = (*attempt)(nil)

// Header implements http.ResponseWriter.
func (a *attempt) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *attempt) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter.
func (a *attempt) Write(body []byte) (int, error) { return len(body), nil }

// retryAfter is how long a rejected client is told to wait, 0 if it was not rejected.
func (a *attempt) retryAfter() time.Duration {
	seconds, _ := strconv.Atoi(a.header.Get("Retry-After"))
	return time.Duration(seconds) * time.Second
}

type attemptKey struct{}

// serve executes a request to its end, whether or not its client has left.
func serve(w http.ResponseWriter, r *http.Request) {
	a := r.Context().Value(attemptKey{}).(*attempt)
	<-time.After(a.takes)
	a.executed = true
	w.WriteHeader(http.StatusOK)
}

// requestOf returns what a user sends, without the deadline.
func requestOf(name string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/api/v1/namespaces/shop/configmaps/prices", nil)
	ctx := request.WithUser(context.Background(), &user.DefaultInfo{Name: name, Groups: []string{user.AllAuthenticated}})
	return r.WithContext(request.WithRequestInfo(ctx, &request.RequestInfo{
		IsResourceRequest: true, Path: r.URL.Path, Verb: "get", APIPrefix: "api", APIVersion: "v1",
		Namespace: "shop", Resource: "configmaps", Name: "prices",
	}))
}
