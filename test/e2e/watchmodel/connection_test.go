package watchmodel_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/watchmodel"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/watchmodel/observe"
)

// request returns a request for the watcher's resource and selectors. The client
// library does not retry it.
func (w *watcher) request() *rest.Request {
	request := w.client.Get().Resource(w.resource).MaxRetries(0)
	if w.label != "" {
		request.Param("labelSelector", w.label)
	}
	if w.field != "" {
		request.Param("fieldSelector", w.field)
	}
	return request
}

// list starts with a list: the most recent one, or any from the cache.
func (w *watcher) list(ctx context.Context) error {
	match, notBefore := "", int64(0)
	if w.begin == byList {
		var err error
		if notBefore, err = w.revision(ctx); err != nil {
			return err
		}
	}
	version := int64(-1)
	if w.begin == byCachedList {
		version = 0
	}
	list, err := w.get(ctx, version, match)
	if err != nil {
		return err
	}
	list.NotBefore = notBefore
	w.lists = append(w.lists, list)
	w.replica = watchmodel.NewReplica(list.Version, list.Objects)
	return nil
}

// get lists at a version, or without one if it is negative.
func (w *watcher) get(ctx context.Context, version int64, match string) (watchmodel.List, error) {
	request := w.request()
	if version >= 0 {
		request.Param("resourceVersion", strconv.FormatInt(version, 10))
	}
	if match != "" {
		request.Param("resourceVersionMatch", match)
	}
	answer, err := request.Do(ctx).Get()
	if err != nil {
		return watchmodel.List{}, expired(err)
	}
	list := watchmodel.List{Select: w.selector, NotBefore: max(version, 0), Exact: match == "Exact"}
	if list.Version, list.Objects, err = observe.List(answer); err != nil {
		w.failf(w.t, "%s: %v", w.name, err)
	}
	return list, meta.EachListItem(answer, w.notice)
}

// expired wraps an error of code 410 in errExpired.
func expired(err error) error {
	if codeOf(err) == http.StatusGone {
		return fmt.Errorf("%w: %w", errExpired, err)
	}
	return err
}

// revision returns the current revision of the store.
func (s *stress) revision(ctx context.Context) (int64, error) {
	response, err := s.store.Get(ctx, storePrefix)
	if err != nil {
		return 0, err
	}
	return response.Header.Revision, nil
}

// watch opens a connection and processes events until it ends or is cut.
func (w *watcher) watch(ctx context.Context) error {
	record, request, err := w.question(ctx)
	if err != nil {
		return err
	}
	stream, err := request.Watch(ctx)
	if err != nil {
		return expired(err)
	}
	defer stream.Stop()
	w.watches = append(w.watches, record)
	return w.follow(ctx, stream, &w.watches[len(w.watches)-1])
}

// question returns the watcher's next request.
func (w *watcher) question(ctx context.Context) (watchmodel.Watch, *rest.Request, error) {
	record := watchmodel.Watch{Select: w.selector}
	request := w.request().Param("watch", "true")
	if w.bookmarks {
		// The server sends a bookmark shortly before the timeout.
		request.Param("allowWatchBookmarks", "true").Param("timeoutSeconds", "4")
	}
	switch {
	case w.replica != nil:
		record.After = w.replica.Version()
		request.Param("resourceVersion", strconv.FormatInt(record.After, 10))
	case w.begin == byInitial:
		var err error
		if record.After, err = w.revision(ctx); err != nil {
			return record, nil, err
		}
		record.Initial = true
		w.replica = watchmodel.NewInitialReplica()
		request.Param("sendInitialEvents", "true").Param("resourceVersionMatch", "NotOlderThan")
	case w.begin == byNewest:
		var err error
		if record.After, err = w.revision(ctx); err != nil {
			return record, nil, err
		}
		record.State = true
	default:
		record.State = true
		request.Param("resourceVersion", "0")
	}
	return record, request, nil
}

// follow processes events.
func (w *watcher) follow(ctx context.Context, stream watch.Interface, record *watchmodel.Watch) error {
	cut := -1
	if w.cutAfter > 0 {
		cut = 1 + w.random.IntN(w.cutAfter)
	}
	for event := range stream.ResultChan() {
		if err := w.take(event, record); err != nil {
			return err
		}
		if w.satisfied(event) {
			return nil
		}
		if cut--; cut == 0 {
			w.figures.cut.Add(1)
			w.lines.cut()
			return nil
		}
		if w.slow && len(record.Events) == 3 {
			w.sleep(ctx)
		}
	}
	w.figures.ended.Add(1)
	return nil
}

// sleep stops reading for long enough that the server ends the watch: the first
// time until the last kill of the server, later until everything that the test
// requires has happened.
func (w *watcher) sleep(ctx context.Context) {
	if !w.slept {
		w.slept = true
		w.sleepers.add()
	}
	over := w.enough
	select {
	case <-w.killed:
	default:
		over = w.killed
	}
	select {
	case <-over:
	case <-ctx.Done():
	}
}

// take processes one event.
func (w *watcher) take(event watch.Event, record *watchmodel.Watch) error {
	if event.Type == watch.Error {
		return expired(apierrors.FromObject(event.Object))
	}
	told, err := observe.Event(event)
	if err != nil {
		w.failf(w.t, "%s: %v", w.name, err)
		return err
	}
	record.Events = append(record.Events, told)
	w.figures.events.Add(1)
	if told.Type == watch.Bookmark && !told.InitialEnd {
		w.figures.bookmarks.Add(1)
	}
	if w.replica != nil {
		if err := w.replica.Apply(told); err != nil {
			w.failf(w.t, "%s: %v", w.name, err)
		}
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

// satisfied reports whether the watcher is done: after the last write, and after a
// further bookmark if it requested bookmarks.
func (w *watcher) satisfied(event watch.Event) bool {
	if !w.ended {
		return false
	}
	if w.bookmarks {
		return event.Type == watch.Bookmark
	}
	return w.replica == nil || w.replica.Complete()
}
