package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/chaos"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/scheme"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/histories"
)

const (
	endName       = "end"
	endAnnotation = "end"
)

// watcher lists and watches, each time at any server, in one version and encoding.
type watcher struct {
	*load
	*chaos.Watcher
	random  *rand.Rand
	clients []*rest.RESTClient // one of each server
	ended   bool               // the last write was seen
}

// newWatchers returns a watcher of each resource for each version and encoding.
func (l *load) newWatchers() (watchers []*watcher) {
	l.t.Helper()
	for _, resource := range []string{chaos.Schemas, chaos.Levels} {
		for _, version := range []string{"v1", "v1beta3"} {
			for _, encoding := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
				w := &watcher{
					load: l, random: l.random(1000 + len(watchers)),
					Watcher: &chaos.Watcher{Name: fmt.Sprintf("watcher of %s in %s, %s", resource, version, encoding), Resource: resource},
				}
				for _, r := range l.replicas {
					config := r.Config(l.t)
					config.APIPath, config.GroupVersion = "/apis", &schema.GroupVersion{Group: flowcontrolv1.GroupName, Version: version}
					config.NegotiatedSerializer, config.WarningHandler = scheme.Codecs.WithoutConversion(), rest.NoWarnings{}
					config.ContentType, config.AcceptContentTypes = encoding, encoding
					client, err := rest.RESTClientFor(config)
					require.NoError(l.t, err)
					w.clients = append(w.clients, client)
				}
				watchers = append(watchers, w)
			}
		}
	}
	return watchers
}

// run follows until the last write is seen.
func (w *watcher) run(ctx context.Context) {
	for ctx.Err() == nil && !w.ended {
		if err := w.attempt(ctx); err != nil {
			if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
				w.Replica = nil
			}
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		}
	}
}

// attempt is one connection.
func (w *watcher) attempt(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 4*requestTimeout)
	defer cancel()
	client := w.clients[w.random.IntN(len(w.clients))]
	if w.Replica == nil {
		if err := w.list(ctx, client); err != nil || w.ended {
			return err
		}
	}
	options := metav1.ListOptions{
		Watch: true, ResourceVersion: strconv.FormatInt(w.Replica.Version(), 10), AllowWatchBookmarks: true, TimeoutSeconds: new(5 + w.random.Int64N(20)),
	}
	stream, err := client.Get().Resource(w.Resource).MaxRetries(0).VersionedParams(&options, scheme.ParameterCodec).Watch(ctx)
	if err != nil {
		return err
	}
	defer stream.Stop()
	w.Watches = append(w.Watches, histories.Watch{After: w.Replica.Version()})
	for event := range stream.ResultChan() {
		if err := w.take(event, &w.Watches[len(w.Watches)-1]); err != nil || w.ended {
			return err
		}
	}
	return nil
}

// list begins with the most recent state.
func (w *watcher) list(ctx context.Context, client *rest.RESTClient) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	newest := int64(0)
	if w.Resource == chaos.Levels {
		newest = w.newest.Load()
	}
	answer, err := client.Get().Resource(w.Resource).MaxRetries(0).Do(ctx).Get()
	if err != nil {
		return err
	}
	version, objects, err := histories.ListOf(answer)
	if err != nil {
		w.Faults = append(w.Faults, err)
		return err
	}
	w.Lists = append(w.Lists, histories.List{NotBefore: newest, Version: version, Objects: objects})
	w.Replica = histories.NewReplica(version, objects)
	return meta.EachListItem(answer, w.notice)
}

// take processes an event. After one that cannot be, the watcher lists again.
func (w *watcher) take(event watch.Event, record *histories.Watch) error {
	if event.Type == watch.Error {
		return apierrors.FromObject(event.Object)
	}
	told, err := histories.EventOf(event)
	if err == nil {
		record.Events = append(record.Events, told)
		err = w.Replica.Apply(told)
	}
	if err != nil {
		w.Faults = append(w.Faults, err)
		w.Replica = nil
		return errors.New("an event that cannot be")
	}
	return w.notice(event.Object)
}

// notice detects the last write.
func (w *watcher) notice(object runtime.Object) error {
	access, err := meta.Accessor(object)
	if err == nil && access.GetAnnotations()[endAnnotation] != "" {
		w.ended = true
	}
	return err
}
