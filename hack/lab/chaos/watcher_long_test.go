//go:build long

package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/chaos"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/histories"
)

const (
	watchersOfAResource = 3
	endName             = "end"
	endAnnotation       = "end"
)

// watcher lists and watches, each time at any server.
type watcher struct {
	*load
	*chaos.Watcher
	random *rand.Rand
	ended  bool // the last write was seen
}

func (l *load) newWatchers() (watchers []*watcher) {
	for _, resource := range []string{chaos.Schemas, chaos.Levels} {
		for i := range watchersOfAResource {
			watchers = append(watchers, &watcher{
				load: l, random: l.random(1000 + len(watchers)),
				Watcher: &chaos.Watcher{Name: fmt.Sprintf("watcher %d of %s", i, resource), Resource: resource},
			})
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
			case <-timer(pause):
			}
		}
	}
}

// attempt is one connection.
func (w *watcher) attempt(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 4*requestTimeout)
	defer cancel()
	r := w.replicas[w.random.IntN(size)]
	if w.Replica == nil {
		if err := w.list(ctx, r); err != nil || w.ended {
			return err
		}
	}
	options := metav1.ListOptions{
		ResourceVersion: strconv.FormatInt(w.Replica.Version(), 10), AllowWatchBookmarks: true, TimeoutSeconds: new(5 + w.random.Int64N(20)),
	}
	stream, err := w.open(ctx, r, options)
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
func (w *watcher) list(ctx context.Context, r *replica) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	newest := int64(0)
	if w.Resource == chaos.Levels {
		newest = w.newest.Load()
	}
	var answer runtime.Object
	var err error
	if w.Resource == chaos.Levels {
		answer, err = r.client.FlowcontrolV1().PriorityLevelConfigurations().List(ctx, metav1.ListOptions{})
	} else {
		answer, err = r.client.FlowcontrolV1().FlowSchemas().List(ctx, metav1.ListOptions{})
	}
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

func (w *watcher) open(ctx context.Context, r *replica, options metav1.ListOptions) (watch.Interface, error) {
	if w.Resource == chaos.Levels {
		return r.client.FlowcontrolV1().PriorityLevelConfigurations().Watch(ctx, options)
	}
	return r.client.FlowcontrolV1().FlowSchemas().Watch(ctx, options)
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
