package linearizability_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/linearizability"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/scheme"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/histories"
)

// connectionSeconds is how long a watch lasts: watchers connect again, to any server.
const connectionSeconds = "3"

// watcher follows the objects of all clients, across connections, in one version and encoding.
type watcher struct {
	*run
	t       *testing.T
	name    string
	clients []*rest.RESTClient // one of each server
	replica *histories.Replica // nil: no state is known
	lists   []histories.List
	watches []histories.Watch
	// seen is the version of the replica.
	seen atomic.Int64
}

// watchers returns a watcher for each version and encoding.
func (r *run) watchers(t *testing.T) (all []*watcher) {
	t.Helper()
	for _, version := range []string{"v1", "v1beta3"} {
		for _, encoding := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
			w := &watcher{run: r, t: t, name: "watcher in " + version + ", " + encoding}
			for _, replica := range r.replicas {
				config := rest.CopyConfig(replica.Config(t))
				config.APIPath, config.GroupVersion = "/apis", &schema.GroupVersion{Group: "flowcontrol.apiserver.k8s.io", Version: version}
				config.NegotiatedSerializer, config.WarningHandler = scheme.Codecs.WithoutConversion(), rest.NoWarnings{}
				config.ContentType, config.AcceptContentTypes = encoding, encoding
				client, err := rest.RESTClientFor(config)
				require.NoError(t, err)
				w.clients = append(w.clients, client)
			}
			all = append(all, w)
		}
	}
	return all
}

// follow watches until ctx ends. Whoever cannot go on from their version lists again.
func (w *watcher) follow(ctx context.Context) {
	for i := 0; ctx.Err() == nil; i++ {
		number := i % len(w.clients)
		w.replicas[number].gate.wait(ctx)
		if err := w.connect(ctx, w.clients[number]); apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
			w.replica = nil
		}
	}
}

// connect lists if necessary, and watches until the connection ends.
func (w *watcher) connect(ctx context.Context, client *rest.RESTClient) error {
	if w.replica == nil {
		if err := w.list(ctx, client); err != nil {
			return err
		}
	}
	record := histories.Watch{After: w.replica.Version()}
	stream, err := client.Get().Resource(resource).MaxRetries(0).Param("watch", "true").Param("allowWatchBookmarks", "true").
		Param("timeoutSeconds", connectionSeconds).Param("resourceVersion", strconv.FormatInt(record.After, 10)).Watch(ctx)
	if err != nil {
		return err
	}
	defer stream.Stop()
	defer func() { w.watches = append(w.watches, record) }()
	for event := range stream.ResultChan() {
		if event.Type == watch.Error {
			return apierrors.FromObject(event.Object)
		}
		told, err := histories.EventOf(event)
		if err == nil {
			record.Events = append(record.Events, told)
			err = w.replica.Apply(told)
		}
		if err != nil {
			w.t.Errorf("%s: %v", w.name, err)
			return err
		}
		w.seen.Store(w.replica.Version())
	}
	return nil
}

// list begins with the most recent state.
func (w *watcher) list(ctx context.Context, client *rest.RESTClient) error {
	newest := w.newest.Load()
	answer, err := client.Get().Resource(resource).MaxRetries(0).Do(ctx).Get()
	if err != nil {
		return err
	}
	list := histories.List{NotBefore: newest}
	if list.Version, list.Objects, err = histories.ListOf(answer); err != nil {
		w.t.Errorf("%s: %v", w.name, err)
		return err
	}
	w.lists, w.replica = append(w.lists, list), histories.NewReplica(list.Version, list.Objects)
	w.seen.Store(list.Version)
	return nil
}

// judge compares what the watcher was told with the truth.
func (w *watcher) judge(truth *histories.History) error {
	var all error
	for _, list := range w.lists {
		all = errors.Join(all, truth.CheckList(list))
	}
	events := 0
	for i, watch := range w.watches {
		events += len(watch.Events)
		if err := truth.CheckWatch(watch); err != nil {
			all = errors.Join(all, fmt.Errorf("connection %d, after version %d: %w", i+1, watch.After, err))
		}
	}
	if events == 0 {
		all = errors.Join(all, errors.New("it was told nothing"))
	}
	return all
}

// awaitWatchers waits until each watcher knows a last write.
func (r *run) awaitWatchers(ctx context.Context, t *testing.T, watchers []*watcher) {
	t.Helper()
	const end = "end"
	client := newClient(t, r, clientCount)
	client.operate(ctx, r.replicas[0], linearizability.Input{Kind: linearizability.Create, Name: end, Token: client.nextToken()})
	last := client.known[end].Version
	require.Positive(t, last)
	require.Empty(t, eventually.Within(ctx, func(a *eventually.Attempt) {
		for _, w := range watchers {
			require.GreaterOrEqual(a, w.seen.Load(), last, w.name)
		}
	}))
}
