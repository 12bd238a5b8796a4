package registration

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
	testingclock "k8s.io/utils/clock/testing"
)

// cluster is what a guard sees of a cluster.
type cluster struct {
	*Guard
	client *fake.FakeDynamicClient
	clock  *testingclock.FakeClock
}

// start makes a guard of a cluster with these APIServices.
func start(registered ...runtime.Object) *cluster {
	kinds := map[schema.GroupVersionResource]string{
		{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}:       "APIServiceList",
		{Group: "flowcontrol.apiserver.k8s.io", Version: "v1", Resource: "flowschemas"}: "FlowSchemaList",
	}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds, registered...)
	clock := testingclock.NewFakeClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	return &cluster{client: client, clock: clock, Guard: &Guard{
		Client: client, Namespace: "flowcontrol-system", Service: "flowcontrol-apiserver", Patience: time.Minute, Interval: time.Second, Clock: clock,
	}}
}

// apiService returns the registration of v1 for a Service, "" for kube-apiserver itself,
// with the status of its condition, "" if there is none.
func apiService(service, status string) *unstructured.Unstructured {
	object := map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": map[string]any{"name": name, "uid": "one"}, "spec": map[string]any{},
	}
	if service != "" {
		object["spec"] = map[string]any{"service": map[string]any{"namespace": "flowcontrol-system", "name": service, "port": int64(443)}}
	}
	if status != "" {
		object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Available", "status": status}}}
	}
	return &unstructured.Unstructured{Object: object}
}

// check checks after some time, and returns whether the guard returned v1.
func (c *cluster) check(t *testing.T, after time.Duration) bool {
	t.Helper()
	c.clock.Step(after)
	returned, err := c.Check(t.Context())
	require.NoError(t, err)
	return returned
}

// registered returns the registration of v1.
func (c *cluster) registered(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	object, err := c.apiServices().Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	return object
}

func TestV1IsReturnedWhenItHasBeenUnavailableForAWhile(t *testing.T) {
	for _, status := range []string{"False", "Unknown", ""} {
		c := start(apiService("flowcontrol-apiserver", status))
		require.False(t, c.check(t, time.Hour), "seen for the first time")
		require.False(t, c.check(t, 59*time.Second))
		require.True(t, c.check(t, time.Second))
		returned := c.registered(t)
		require.False(t, c.ours(returned))
		require.Equal(t, "onstart", returned.GetLabels()["kube-aggregator.kubernetes.io/automanaged"])
		require.False(t, c.check(t, time.Hour), "once")
	}
}

func TestV1IsLeftAlone(t *testing.T) {
	for name, registered := range map[string]*unstructured.Unstructured{
		"it is available":          apiService("flowcontrol-apiserver", "True"),
		"kube-apiserver serves it": apiService("", "False"),
		"another server serves it": apiService("another", "False"),
	} {
		t.Run(name, func(t *testing.T) {
			c := start(registered)
			for range 3 {
				require.False(t, c.check(t, time.Hour))
			}
			require.Equal(t, registered, c.registered(t))
		})
	}
	t.Run("kube-apiserver does not have it", func(t *testing.T) {
		c := start()
		c.client.PrependReactor("list", "flowschemas", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewNotFound(schema.GroupResource{}, "")
		})
		for range 3 {
			require.False(t, c.check(t, time.Hour))
		}
		_, err := c.apiServices().Get(t.Context(), name, metav1.GetOptions{})
		require.True(t, apierrors.IsNotFound(err))
	})
}

func TestTimeUnavailableCountsWithoutABreak(t *testing.T) {
	c := start(apiService("flowcontrol-apiserver", "False"))
	set := func(status string) {
		t.Helper()
		_, err := c.apiServices().Update(t.Context(), apiService("flowcontrol-apiserver", status), metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	require.False(t, c.check(t, 0))
	set("True")
	require.False(t, c.check(t, 50*time.Second))
	set("False")
	require.False(t, c.check(t, 50*time.Second))
	require.False(t, c.check(t, 59*time.Second))

	// While kube-apiserver does not answer, nobody can tell.
	c.client.PrependReactor("get", "apiservices", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("rejected") })
	_, err := c.Check(t.Context())
	require.EqualError(t, err, "getting APIService v1.flowcontrol.apiserver.k8s.io: rejected")
	c.client.ReactionChain = c.client.ReactionChain[1:]
	require.False(t, c.check(t, time.Minute))
	require.True(t, c.check(t, time.Minute))
}

func TestARegistrationThatIsNewIsNotReturned(t *testing.T) {
	c := start(apiService("flowcontrol-apiserver", "False"))
	require.False(t, c.check(t, 0))
	c.client.PrependReactor("delete", "apiservices", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewConflict(schema.GroupResource{}, name, errors.New("another UID"))
	})
	require.False(t, c.check(t, time.Minute))
	c.client.ReactionChain = c.client.ReactionChain[1:]
	require.False(t, c.check(t, 0), "its time begins")
	require.False(t, c.check(t, 59*time.Second))
	require.True(t, c.check(t, time.Second))
}

// A deletion by hand, or by a kubectl that ended before it created.
func TestV1ThatNobodyRegistersIsReturned(t *testing.T) {
	c := start()
	require.False(t, c.check(t, time.Hour), "seen for the first time: kubectl replace may be under way")
	require.False(t, c.check(t, 59*time.Second))
	require.True(t, c.check(t, time.Second))
	require.False(t, c.ours(c.registered(t)))
}

// A guard knew only in memory that it had deleted the registration, so v1 was gone if it ended
// before it created. Here it ends at each of its calls, before the call has its effect and after.
func TestAGuardThatEndsAtAnyCallIsContinuedByTheNext(t *testing.T) {
	c := start(apiService("flowcontrol-apiserver", "False"))
	require.False(t, c.check(t, 0))
	require.True(t, c.check(t, time.Minute))
	var all []string // the calls of a guard that does not end
	for _, action := range c.client.Actions() {
		all = append(all, action.GetVerb()+" "+action.GetResource().Resource)
	}
	require.Equal(t, []string{"get apiservices", "get apiservices", "delete apiservices", "list flowschemas", "create apiservices"}, all)
	for last := range all {
		for _, effect := range []bool{false, true} {
			c := start(apiService("flowcontrol-apiserver", "False"))
			require.Equal(t, all[:last+1], c.endAt(t, last+1, effect))
			next := &Guard{Client: c.client, Namespace: c.Namespace, Service: c.Service, Patience: c.Patience, Interval: c.Interval, Clock: c.clock}
			for range 2 {
				c.clock.Step(time.Minute)
				_, err := next.Check(t.Context())
				require.NoError(t, err)
			}
			require.False(t, c.ours(c.registered(t)), "ended at %s, with its effect: %v", all[last], effect)
		}
	}
}

// endAt lets the guard check until its call of that number, at which it ends, and returns its
// calls.
func (c *cluster) endAt(t *testing.T, last int, effect bool) (calls []string) {
	t.Helper()
	c.client.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if calls = append(calls, action.GetVerb()+" "+action.GetResource().Resource); len(calls) < last {
			return false, nil, nil
		}
		if effect {
			_, _, err := clienttesting.ObjectReaction(c.client.Tracker())(action)
			require.NoError(t, err)
		}
		panic("the guard ends here")
	})
	ended := func() (ended bool) {
		defer func() { ended = recover() != nil }()
		c.check(t, time.Minute)
		return false
	}
	for !ended() {
		require.Less(t, len(calls), last)
	}
	c.client.ReactionChain = c.client.ReactionChain[1:]
	return calls
}

// Each control-plane node has a guard.
func TestGuardsOfSeveralNodesReturnV1Once(t *testing.T) {
	c := start(apiService("flowcontrol-apiserver", "False"))
	another, third := *c.Guard, *c.Guard
	guards := []*Guard{c.Guard, &another, &third}
	var returned []bool
	for range 3 {
		for _, guard := range guards {
			did, err := guard.Check(t.Context())
			require.NoError(t, err)
			returned = append(returned, did)
		}
		c.clock.Step(time.Minute)
	}
	require.Equal(t, []bool{false, false, false, true, false, false, false, false, false}, returned)
	require.Empty(t, c.registered(t).Object["spec"].(map[string]any)["service"])
}

func TestAnotherGuardMayActAtTheSameTime(t *testing.T) {
	for verb, other := range map[string]error{
		"delete": apierrors.NewNotFound(schema.GroupResource{}, name),
		"create": apierrors.NewAlreadyExists(schema.GroupResource{}, name),
	} {
		c := start(apiService("flowcontrol-apiserver", "False"))
		require.False(t, c.check(t, 0))
		c.client.PrependReactor(verb, "apiservices", func(clienttesting.Action) (bool, runtime.Object, error) {
			if verb == "delete" {
				require.NoError(t, c.client.Tracker().Delete(schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}, "", name))
			}
			return true, nil, other
		})
		require.True(t, c.check(t, time.Minute), verb)
	}
}
