package agreement_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	authorizationv1 "k8s.io/api/authorization/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/e2e/lines"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/explain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

const (
	// narrow is a priority level of a few seats, and its flow schema.
	narrow = "narrow"
	// holder is the user whose requests hold the seats.
	holder = "holder"
	// holders is more than the seats of narrow. waiters is the number of users who wait.
	holders, waiters = 12, 8
)

// requireHands fills a priority level, and requires that waiting requests are in a queue of the
// predicted hand.
func (s *site) requireHands(t *testing.T) {
	t.Helper()
	client, err := kubernetes.NewForConfig(s.Config(t))
	require.NoError(t, err)
	allowNarrow(t, client)
	s.createNarrow(t, client)
	read, e := s.read(t)
	var sending errgroup.Group
	body, end := io.Pipe() // without content: a server waits for it, and the request keeps its seat
	ended := make(chan struct{})
	// again sends requests one at a time, since a busy machine may need longer than
	// the server lets one of them execute or wait.
	again := func(send func() error) {
		sending.Go(func() error {
			for {
				err := send()
				select {
				case <-ended:
					return err
				default:
				}
			}
		})
	}
	for range holders {
		again(func() error { return s.post(t, body) })
	}
	s.awaitWaiting(t, read, holder)
	hands := map[string][]int{}
	for i := range waiters {
		user := fmt.Sprint("waiter-", i)
		request, err := lines.Parse("list flowschemas --as=" + user + " --as-group=" + narrow)
		require.NoError(t, err)
		answer, err := e.Explain(request)
		require.NoError(t, err)
		require.NotEmpty(t, answer.Flow.Hand)
		hands[user] = answer.Flow.Hand
		again(func() error {
			_, err := s.send(t.Context(), answer.Request)
			return err
		})
	}
	for user, queue := range s.awaitWaiting(t, read, slices.Collect(maps.Keys(hands))...) {
		if hand := hands[user]; hand != nil { // not a holder
			require.Contains(t, hand, queue, user)
		}
	}
	close(ended)
	require.NoError(t, end.Close())
	require.NoError(t, sending.Wait())
}

// allowNarrow permits the group to create flow schemas: the body of a request without
// permission is not read.
func allowNarrow(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: narrow},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: narrow}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
	}
	_, err := client.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{})
	require.NoError(t, err)
	eventually.Holds(t, "the group may create flow schemas", func(a *eventually.Attempt) {
		review, err := client.AuthorizationV1().SubjectAccessReviews().Create(a.Context(), &authorizationv1.SubjectAccessReview{
			Spec: authorizationv1.SubjectAccessReviewSpec{User: holder, Groups: []string{narrow}, ResourceAttributes: &authorizationv1.ResourceAttributes{
				Group: flowcontrolv1.GroupName, Version: "v1", Resource: "flowschemas", Verb: "create",
			}},
		}, metav1.CreateOptions{})
		require.NoError(a, err)
		require.True(a, review.Status.Allowed)
	})
}

// createNarrow creates the level and the flow schema, and waits until they are enforced.
func (s *site) createNarrow(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	level := &flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: metav1.ObjectMeta{Name: narrow}}
	level.Spec.Type = flowcontrolv1.PriorityLevelEnablementLimited
	level.Spec.Limited = &flowcontrolv1.LimitedPriorityLevelConfiguration{
		NominalConcurrencyShares: new(int32(1)), BorrowingLimitPercent: new(int32(0)),
		LimitResponse: flowcontrolv1.LimitResponse{
			Type: flowcontrolv1.LimitResponseTypeQueue, Queuing: &flowcontrolv1.QueuingConfiguration{Queues: 64, HandSize: 6, QueueLengthLimit: 50},
		},
	}
	_, err := client.FlowcontrolV1().PriorityLevelConfigurations().Create(t.Context(), level, metav1.CreateOptions{})
	require.NoError(t, err)
	schema := sentinel()
	schema.Name, schema.Spec.PriorityLevelConfiguration.Name = narrow, narrow
	schema.Spec.DistinguisherMethod = &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodByUserType}
	schema.Spec.Rules = []flowcontrolv1.PolicyRulesWithSubjects{{
		Subjects:      []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindGroup, Group: &flowcontrolv1.GroupSubject{Name: narrow}}},
		ResourceRules: []flowcontrolv1.ResourcePolicyRule{{Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}, ClusterScope: true}},
	}}
	created, err := client.FlowcontrolV1().FlowSchemas().Create(t.Context(), schema, metav1.CreateOptions{})
	require.NoError(t, err)
	eventually.Holds(t, "the flow schema takes requests", func(a *eventually.Attempt) {
		got, err := s.send(a.Context(), explain.Attributes{User: narrow, Groups: []string{narrow}, Method: http.MethodGet, URL: schemasPath})
		require.NoError(a, err)
		require.Equal(a, string(created.UID), got.Get(flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID))
	})
}

// schemasPath is where flow schemas are served.
const schemasPath = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"

// post sends a create request that lasts until the body ends.
func (s *site) post(t *testing.T, body io.Reader) error {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+schemasPath+"?dryRun=All", io.NopCloser(body))
	if err != nil {
		return err
	}
	request.Header.Set("Impersonate-User", holder)
	request.Header.Set("Impersonate-Group", narrow)
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// awaitWaiting waits until all these users wait on the level, and returns the queue of each user.
func (s *site) awaitWaiting(t *testing.T, read source.Source, users ...string) map[string]int {
	t.Helper()
	queues := map[string]int{}
	eventually.Holds(t, "users wait", func(a *eventually.Attempt) {
		replicas, err := read.Replicas(a.Context(), source.Want{Requests: true})
		require.NoError(a, err)
		clear(queues)
		for _, r := range replicas[0].Requests {
			if r.Level == narrow && r.Started.IsZero() {
				queues[r.Distinguisher] = r.Queue
			}
		}
		require.Subset(a, slices.Collect(maps.Keys(queues)), users)
	})
	return queues
}
