package options

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/periodic"
)

// The pauses between two attempts to read the objects of the cluster, which may stay
// unreadable for ever.
const firstPause, longestPause = time.Second, 5 * time.Minute

// resync is how often the informers repeat their objects. Nobody needs it; but an informer
// that never does waits on a channel of the process, which stops virtual time in tests.
const resync = 10 * time.Hour

// cluster is the source of the objects of kube-apiserver. Its informers start once the
// objects can be read; later they try again by themselves.
type cluster struct {
	sources         *sources
	clock           utilclock.Clock
	levels, schemas cache.SharedIndexInformer
	// endpoints are the endpoints of the resources, by name.
	endpoints map[string][]endpoint
	// version is the one that was read last.
	version atomic.Value
	// problems are the last errors of the resources, by name.
	mu       sync.Mutex // guards it
	problems map[string]error
	// changed has an element if an object has changed since the last time that all were
	// offered.
	changed chan struct{}
}

func newCluster(client kubernetes.Interface, s *sources, now utilclock.Clock) *cluster {
	c := &cluster{sources: s, clock: now, changed: make(chan struct{}, 1), problems: map[string]error{}, endpoints: map[string][]endpoint{}}
	c.version.Store("v1")
	c.levels = c.informer("PriorityLevelConfigurations", &flowcontrolv1.PriorityLevelConfiguration{},
		endpoints(client.FlowcontrolV1().PriorityLevelConfigurations(), client.FlowcontrolV1beta3().PriorityLevelConfigurations()))
	c.schemas = c.informer("FlowSchemas", &flowcontrolv1.FlowSchema{},
		endpoints(client.FlowcontrolV1().FlowSchemas(), client.FlowcontrolV1beta3().FlowSchemas()))
	return c
}

// clientOf returns the client that is given, or else one by the configuration that is given, or
// else one of the pod's service account.
func clientOf(given kubernetes.Interface, config *rest.Config) (kubernetes.Interface, error) {
	if given != nil {
		return given, nil
	}
	if config == nil {
		var err error
		if config, err = rest.InClusterConfig(); err != nil {
			return nil, fmt.Errorf("the server runs outside a pod, or without a service account (%w): call ApplyToRecommended, or set Options.Client", err)
		}
	}
	return kubernetes.NewForConfig(config)
}

// follow offers the objects after each change until the context ends.
func (c *cluster) follow(ctx context.Context) {
	if !c.awaitReadable(ctx) {
		return
	}
	go c.levels.Run(ctx.Done())
	go c.schemas.Run(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), c.levels.HasSynced, c.schemas.HasSynced) {
		return
	}
	for {
		c.offer()
		select {
		case <-ctx.Done():
			return
		case <-c.changed:
		}
	}
}

// awaitReadable returns when both resources could be read, and reports false if the context
// ends before. The pauses between its attempts grow.
func (c *cluster) awaitReadable(ctx context.Context) bool {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		results := map[string]error{}
		for resource, endpoints := range c.endpoints {
			_, results[resource] = firstServed(c, endpoints, func(e endpoint) (runtime.Object, error) { return e.list(ctx, metav1.ListOptions{Limit: 1}) })
		}
		c.note(results)
		if c.problem() == nil {
			return true
		}
		if !periodic.Wait(ctx, c.clock, pause) {
			return false
		}
	}
}

func (c *cluster) offer() {
	levels, schemas := stored[*flowcontrolv1.PriorityLevelConfiguration](c.levels), stored[*flowcontrolv1.FlowSchema](c.schemas)
	if len(schemas) == 0 {
		c.sources.complain(fromCluster, errors.New("kube-apiserver has no FlowSchemas"))
		return
	}
	c.sources.offer(fromCluster, c.version.Load().(string), levels, schemas, c.problem())
}

// note notes what is wrong with resources, nil if nothing, as a part of the problem of the
// source.
func (c *cluster) note(results map[string]error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for resource, err := range results {
		if err == nil {
			delete(c.problems, resource)
		} else {
			c.problems[resource] = err
		}
	}
	c.sources.complain(fromCluster, c.joined())
}

// problem returns what is wrong with all resources.
func (c *cluster) problem() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.joined()
}

// joined is problem for a caller that holds mu.
func (c *cluster) joined() error {
	var all []error
	for _, resource := range slices.Sorted(maps.Keys(c.problems)) {
		all = append(all, fmt.Errorf("%s of kube-apiserver: %w", resource, c.problems[resource]))
	}
	return errors.Join(all...)
}

func stored[O any](informer cache.SharedIndexInformer) []O {
	var objects []O
	for _, object := range informer.GetStore().List() {
		objects = append(objects, object.(O))
	}
	return objects
}

// informer returns an informer of one resource in whatever version is served.
func (c *cluster) informer(resource string, object runtime.Object, endpoints []endpoint) cache.SharedIndexInformer {
	c.endpoints[resource] = endpoints
	informer := cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return firstServed(c, endpoints, func(e endpoint) (runtime.Object, error) { return e.list(ctx, options) })
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			events, err := firstServed(c, endpoints, func(e endpoint) (watch.Interface, error) { return e.watch(ctx, options) })
			if err == nil {
				c.note(map[string]error{resource: nil})
			}
			return events, err
		},
	}, object, resync, cache.Indexers{})
	notify := func() {
		select {
		case c.changed <- struct{}{}:
		default:
		}
	}
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{ // it cannot have stopped yet
		AddFunc: func(any) { notify() }, UpdateFunc: func(any, any) { notify() }, DeleteFunc: func(any) { notify() },
	})
	_ = informer.SetWatchErrorHandler(func(_ *cache.Reflector, err error) { // nor started
		if !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
			c.note(map[string]error{resource: err})
		}
	})
	return informer
}

// endpoint reads one resource in one version, and returns objects of v1.
type endpoint struct {
	version string
	list    func(context.Context, metav1.ListOptions) (runtime.Object, error)
	watch   func(context.Context, metav1.ListOptions) (watch.Interface, error)
}

// firstServed calls f with the endpoints until one is served.
func firstServed[R any](c *cluster, endpoints []endpoint, f func(endpoint) (R, error)) (result R, err error) {
	for _, e := range endpoints {
		if result, err = f(e); !apierrors.IsNotFound(err) {
			c.version.Store(e.version)
			return result, err
		}
	}
	return result, err
}

// reader is a typed client of one resource in one version.
type reader[L runtime.Object] interface {
	List(context.Context, metav1.ListOptions) (L, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
}

// endpoints returns the endpoints of a resource.
func endpoints[L, B runtime.Object](v1 reader[L], v1beta3 reader[B]) []endpoint {
	return []endpoint{{
		version: "v1",
		list:    func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return v1.List(ctx, o) },
		watch:   v1.Watch,
	}, {
		version: "v1beta3",
		list: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			from, err := v1beta3.List(ctx, o)
			if err != nil {
				return nil, err
			}
			return asV1(from)
		},
		watch: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return converted(v1beta3.Watch(ctx, o))
		},
	}}
}

// converted returns the events of a watch with objects of v1.
func converted(w watch.Interface, err error) (watch.Interface, error) {
	if err != nil {
		return nil, err
	}
	return watch.Filter(w, func(event watch.Event) (watch.Event, bool) {
		object, err := asV1(event.Object)
		if err != nil {
			status := apierrors.NewInternalError(err).Status()
			return watch.Event{Type: watch.Error, Object: &status}, true
		}
		event.Object = object
		return event, true
	}), nil
}
