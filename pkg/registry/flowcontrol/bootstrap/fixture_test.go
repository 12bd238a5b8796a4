package bootstrap

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/fake"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/informers/externalversions"
	flowcontrolv1informers "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/informers/externalversions/flowcontrol/v1"
)

const (
	schemasResource = "flowschemas"
	levelsResource  = "prioritylevelconfigurations"
)

// api is a fake API that sets resource versions and generations and checks
// preconditions, as the real API does.
type api struct {
	*fake.Clientset
	t        *testing.T
	revision atomic.Int64
	reports  *reports
}

// reports are what keepers reported, as "Kind name operation".
type reports struct {
	mu    sync.Mutex
	lines []string
}

func (r *reports) Recreated(kind string, object metav1.Object) { r.add(kind, object, "recreated") }
func (r *reports) Restored(kind string, object metav1.Object)  { r.add(kind, object, "restored") }

func (r *reports) Failed(kind string, object metav1.Object, err error) {
	r.add(kind, object, "failed: "+err.Error())
}

func (r *reports) add(kind string, object metav1.Object, operation string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, kind+" "+object.GetName()+" "+operation)
}

func newAPI(t *testing.T, objects ...metav1.Object) *api {
	t.Helper()
	a := &api{Clientset: fake.NewClientset(), t: t, reports: &reports{}}
	a.PrependReactor("create", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		a.stamp(action.(clienttesting.CreateAction).GetObject().(metav1.Object), 1)
		return false, nil, nil
	})
	a.PrependReactor("update", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		object := action.(clienttesting.UpdateAction).GetObject().(metav1.Object)
		stored := a.stored(action.GetResource().Resource, object.GetName())
		if stored == nil {
			return false, nil, nil
		}
		if object.GetResourceVersion() != stored.GetResourceVersion() || object.GetUID() != stored.GetUID() {
			return true, nil, conflict(action.GetResource().Resource, object.GetName())
		}
		generation := stored.GetGeneration()
		if !equality.Semantic.DeepEqual(spec(object), spec(stored)) {
			generation++
		}
		a.stamp(object, generation)
		return false, nil, nil
	})
	a.PrependReactor("delete", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		deletion := action.(clienttesting.DeleteActionImpl)
		stored := a.stored(deletion.Resource.Resource, deletion.Name)
		conditions := deletion.DeleteOptions.Preconditions
		if stored != nil && conditions != nil && (*conditions.UID != stored.GetUID() || *conditions.ResourceVersion != stored.GetResourceVersion()) {
			return true, nil, conflict(deletion.Resource.Resource, deletion.Name)
		}
		return false, nil, nil
	})
	for _, object := range objects {
		a.put(object)
	}
	return a
}

// stamp sets the resource version of an object to be stored.
func (a *api) stamp(object metav1.Object, generation int64) {
	revision := strconv.FormatInt(a.revision.Add(1), 10)
	object.SetGeneration(generation)
	object.SetResourceVersion(revision)
	if object.GetUID() == "" {
		object.SetUID(types.UID("uid-" + revision))
	}
}

// put stores an object without the reactors and keeps its generation.
func (a *api) put(object metav1.Object) {
	resource := resourceOf(object)
	a.stamp(object, object.GetGeneration())
	if a.stored(resource, object.GetName()) == nil {
		require.NoError(a.t, a.Tracker().Create(gvr(resource), object.(runtime.Object), "", metav1.CreateOptions{}))
		return
	}
	require.NoError(a.t, a.Tracker().Update(gvr(resource), object.(runtime.Object), "", metav1.UpdateOptions{}))
}

// drop deletes an object without the reactors.
func (a *api) drop(resource, name string) {
	require.NoError(a.t, a.Tracker().Delete(gvr(resource), "", name, metav1.DeleteOptions{}))
}

// stored returns the object of that name, or nil if there is none.
func (a *api) stored(resource, name string) metav1.Object {
	object, err := a.Tracker().Get(gvr(resource), "", name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(a.t, err)
	return object.(metav1.Object)
}

func (a *api) schema(name string) *flowcontrolv1.FlowSchema {
	stored := a.stored(schemasResource, name)
	require.NotNil(a.t, stored, "FlowSchema %s", name)
	return stored.(*flowcontrolv1.FlowSchema)
}

func (a *api) level(name string) *flowcontrolv1.PriorityLevelConfiguration {
	stored := a.stored(levelsResource, name)
	require.NotNil(a.t, stored, "PriorityLevelConfiguration %s", name)
	return stored.(*flowcontrolv1.PriorityLevelConfiguration)
}

// before calls do once, before the first matching request is answered.
func (a *api) before(verb, resource string, do func()) {
	done := false
	a.PrependReactor(verb, resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		if !done {
			done = true
			do()
		}
		return false, nil, nil
	})
}

// fail answers matching requests for the object ("" for all) with the error
// that err returns, unless that is nil.
func (a *api) fail(verb, resource, name string, err func() error) {
	a.PrependReactor(verb, resource, func(action clienttesting.Action) (bool, runtime.Object, error) {
		if name != "" && nameOf(action) != name {
			return false, nil, nil
		}
		failure := err()
		return failure != nil, nil, failure
	})
}

// requests returns the requests of the given verbs, as "verb resource name"; without
// verbs, all.
func (a *api) requests(verbs ...string) []string {
	var requests []string
	for _, action := range a.Actions() {
		if verb := action.GetVerb(); slices.Contains(verbs, verb) || len(verbs) == 0 {
			requests = append(requests, fmt.Sprintf("%s %s %s", verb, action.GetResource().Resource, nameOf(action)))
		}
	}
	return requests
}

func (a *api) keeper() *Keeper { return a.newKeeper(nil, logr.Discard()) }

func (a *api) newKeeper(clock clock.Clock, logger logr.Logger) *Keeper {
	return a.following(New(a.FlowcontrolV1(), a.informers(), a.reports, clock, logger))
}

func (a *api) informers() flowcontrolv1informers.Interface {
	return externalversions.NewSharedInformerFactory(a, 0).Flowcontrol().V1()
}

// following makes a keeper find what is stored, as with informers that keep up.
func (a *api) following(k *Keeper) *Keeper {
	synced := func() bool { return true }
	k.levels.list, k.levels.synced = inStore[*flowcontrolv1.PriorityLevelConfiguration](a, levelsResource), synced
	k.schemas.list, k.schemas.synced = inStore[*flowcontrolv1.FlowSchema](a, schemasResource), synced
	return k
}

// inStore returns a function that returns the stored objects of a resource.
func inStore[T metav1.Object](a *api, resource string) func(labels.Selector) ([]T, error) {
	return func(labels.Selector) ([]T, error) {
		list, err := a.Tracker().List(gvr(resource), gvr(resource).GroupVersion().WithKind(kindOf[resource]), "")
		if err != nil {
			return nil, err
		}
		var objects []T
		err = meta.EachListItem(list, func(object runtime.Object) error {
			objects = append(objects, object.(T))
			return nil
		})
		return objects, err
	}
}

var kindOf = map[string]string{schemasResource: "FlowSchema", levelsResource: "PriorityLevelConfiguration"}

// filled returns an API with all built-in objects and no recorded requests.
func filled(t *testing.T) *api {
	t.Helper()
	a := newAPI(t)
	require.NoError(t, a.keeper().EnsureOnce(t.Context()))
	a.ClearActions()
	return a
}

// keeperOf returns a keeper of the given mandatory and suggested objects.
func (a *api) keeperOf(levels [2][]*flowcontrolv1.PriorityLevelConfiguration, schemas [2][]*flowcontrolv1.FlowSchema) *Keeper {
	client, informers := a.FlowcontrolV1(), a.informers()
	return a.following(newKeeper(
		priorityLevels(client.PriorityLevelConfigurations(), informers.PriorityLevelConfigurations(), levels[0], levels[1]),
		flowSchemas(client.FlowSchemas(), informers.FlowSchemas(), schemas[0], schemas[1]),
		a.reports, nil, logr.Discard()))
}

// logLines returns a logger and a function that returns the lines since its last call.
func logLines() (logr.Logger, func() []string) {
	lines := make(chan string, 1000)
	return funcr.New(func(_, args string) { lines <- args }, funcr.Options{Verbosity: 10}), func() []string {
		var written []string
		for len(lines) > 0 {
			written = append(written, <-lines)
		}
		return written
	}
}

func gvr(resource string) schema.GroupVersionResource {
	return flowcontrolv1.SchemeGroupVersion.WithResource(resource)
}

func conflict(resource, name string) error {
	return apierrors.NewConflict(gvr(resource).GroupResource(), name, fmt.Errorf("the object has been modified"))
}

func nameOf(action clienttesting.Action) string {
	switch action := action.(type) {
	case clienttesting.CreateAction:
		return action.GetObject().(metav1.Object).GetName()
	case clienttesting.GetAction: // also used for a deletion
		return action.GetName()
	}
	return ""
}

func containing(lines []string, parts ...string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) })
	})
}
