package traffic

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
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

// Engine is one of the engines.
type Engine string

// The engines. WithTenants is this project's with --flow-control-tenants=service-account-namespaces.
const (
	Library     Engine = "library"
	Ours        Engine = "ours"
	WithTenants Engine = "ours, with tenants"
)

const (
	// Seats is the limit of the level of all users. It has 64 queues of 50 requests, and hands of 6.
	Seats = 20
	// requestTimeout is the deadline of a request that names none, as kube-apiserver's.
	requestTimeout = time.Minute
	// resync is longer than any run, since informers that resync wait outside of the bubble.
	resync = 1000 * time.Hour
)

// RunEngine runs a function beside a server with an engine, in a bubble of testing/synctest. The server stands for the
// parts that matter to flow control: identity, deadline, the filter, and serve, which executes requests. GET /livez is
// exempt.
func RunEngine(t *testing.T, engine Engine, serve http.Handler, run func(t *testing.T, server http.Handler)) {
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
		run(t, Identified(filter(serve)))
		close(done)
		running.Wait()
		factory.Shutdown()
		<-time.After(time.Second) // work queues notice their end at their next tick
	})
}

// newFilter returns an engine and its filter.
func newFilter(t *testing.T, engine Engine, client *fake.Clientset, factory informers.SharedInformerFactory) (flowcontrol.Interface, func(http.Handler) http.Handler) {
	t.Helper()
	if engine != Library {
		config := apf.ConfigFor(factory, client.FlowcontrolV1(), Seats)
		if engine == WithTenants {
			config.Tenants = rules.ServiceAccountNamespaces
		}
		control, err := apf.New(config)
		require.NoError(t, err)
		return control, control.Filter(apf.FilterOptions{WaitLimit: requestTimeout / 4}).Handler
	}
	metrics.Register()
	metrics.Reset()
	control := flowcontrol.New(factory, client.FlowcontrolV1(), Seats)
	nothing := func(string) (int64, error) { return 0, nil }
	estimator := fcrequest.NewWorkEstimator(nothing, control.GetInterestedWatchCount, fcrequest.DefaultWorkEstimatorConfig(), control.GetMaxSeats)
	return control, func(next http.Handler) http.Handler {
		return filters.WithPriorityAndFairness(next, nil, control, estimator, requestTimeout/4)
	}
}

// Identified returns what runs in front of flow control: the impersonated user, what is asked, and the deadline,
// which a client may state in the parameter timeout. Probes pass flow control by.
func Identified(next http.Handler) http.Handler {
	infos := &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/livez" {
			return
		}
		info, err := infos.NewRequestInfo(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		timeout, err := time.ParseDuration(r.URL.Query().Get("timeout"))
		if err != nil {
			timeout = requestTimeout
		}
		who := &user.DefaultInfo{Name: r.Header.Get("Impersonate-User"), Groups: append(r.Header["Impersonate-Group"], user.AllAuthenticated)}
		ctx := request.WithRequestInfo(request.WithUser(r.Context(), who), info)
		ctx, cancel := context.WithTimeout(request.WithReceivedTimestamp(ctx, time.Now()), timeout)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
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
