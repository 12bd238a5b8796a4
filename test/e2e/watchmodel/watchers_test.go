package watchmodel_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/watchmodel"
)

const (
	// endName is the object of the last write, and endAnnotation marks it. Every
	// selector here selects it.
	endName       = "stress-0"
	endAnnotation = "example.org/end"
)

// beginning is how a watcher gets its initial state.
type beginning string

const (
	byList       beginning = "list"
	byCachedList beginning = "cached list"
	byInitial    beginning = "initial events"
	byState      beginning = "state, any version"
	byNewest     beginning = "state, newest version"
)

// kind is a configuration of a watcher.
type kind struct {
	version, contentType string
	begin                beginning
	label, field         string
	bookmarks            bool
	slow                 bool
	// cutAfter is the maximum number of events before the watcher's connection is
	// cut; 0: it is not cut.
	cutAfter int
}

// kinds returns the watchers of each resource.
func kinds() []kind {
	return []kind{
		{version: v1, contentType: jsonType, begin: byList},
		{version: v1beta3, contentType: protobuf, begin: byList, cutAfter: 60},
		{version: v1, contentType: protobuf, begin: byCachedList, label: "set=a", cutAfter: 30},
		{version: v1beta3, contentType: jsonType, begin: byList, label: "set in (a, b)", field: "metadata.name!=stress-1", bookmarks: true},
		{version: v1, contentType: jsonType, begin: byInitial, label: "set!=c", bookmarks: true, cutAfter: 80},
		{version: v1beta3, contentType: protobuf, begin: byInitial, bookmarks: true},
		{version: v1, contentType: protobuf, begin: byState, cutAfter: 40},
		{version: v1beta3, contentType: jsonType, begin: byNewest, label: "set", cutAfter: 20},
		{version: v1, contentType: jsonType, begin: byList, field: "metadata.name=stress-0"},
		{version: v1, contentType: jsonType, begin: byList, slow: true},
		{version: v1beta3, contentType: protobuf, begin: byInitial, bookmarks: true, slow: true},
	}
}

// watcher watches one resource during the whole run, and records the answers.
type watcher struct {
	*stress
	kind
	t        *testing.T
	resource string
	name     string
	random   *rand.Rand
	client   *rest.RESTClient
	lines    lines
	selector watchmodel.Selector

	replica *watchmodel.Replica // nil: no state is known
	ended   bool                // the last write was seen
	lists   []watchmodel.List
	watches []watchmodel.Watch
	slept   bool // has slept before
}

// watchers creates one watcher of each kind for both resources.
func (s *stress) watchers(t *testing.T) []*watcher {
	t.Helper()
	var watchers []*watcher
	for _, resource := range []string{flowSchemas, priorityLevels} {
		for i, kind := range kinds() {
			w := &watcher{
				stress: s, kind: kind, t: t, resource: resource, random: s.random(100 + len(watchers)),
				name: fmt.Sprintf("watcher %d of %s, %+v", i, resource, kind), selector: kind.selector(t),
			}
			var err error
			w.client, err = s.clients.new(options{version: kind.version, contentType: kind.contentType, lines: &w.lines, narrow: kind.slow})
			if err != nil {
				t.Fatalf("making a client: %v", err)
			}
			watchers = append(watchers, w)
		}
	}
	return watchers
}

// sleeperCount returns the number of slow watchers.
func sleeperCount() int {
	count := 0
	for _, kind := range kinds() {
		if kind.slow {
			count += 2 // one of each resource
		}
	}
	return count
}

// selector converts the label and field selectors of the kind.
func (k kind) selector(t *testing.T) watchmodel.Selector {
	t.Helper()
	label, err := labels.Parse(k.label)
	if err != nil {
		t.Fatalf("%v", err)
	}
	field, err := fields.ParseSelector(k.field)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return func(object watchmodel.Object) bool {
		return label.Matches(labels.Set(object.Labels)) && field.Matches(fields.Set{"metadata.name": object.Name})
	}
}

// errExpired reports that a version has expired.
var errExpired = errors.New("the version is gone")

// attempts is the maximum number of connections of a watcher.
const attempts = 2000

// run watches until the last write is seen.
func (w *watcher) run(ctx context.Context) {
	for range attempts {
		var done bool
		var err error
		eventually.Within(ctx, func(a *eventually.Attempt) {
			done, err = w.attempt(ctx)
			require.False(a, isLater(err), "%v", err)
		})
		switch {
		case ctx.Err() != nil:
			if !done && !errors.Is(context.Cause(ctx), errFault) {
				w.t.Logf("%s has not seen the last write: %v; %v", w.name, context.Cause(ctx), err)
			}
			return
		case errors.Is(err, errExpired):
			w.outage.wait(ctx) // after it, past describes the restarted server
			w.expire()
		case err != nil && codeOf(err) != 0:
			w.failf(w.t, "%s: %v", w.name, err)
			return
		case err != nil:
			w.outage.wait(ctx)
		case done:
			return
		}
	}
	w.failf(w.t, "%s has not seen the last write in %d connections", w.name, attempts)
}

// isLater reports whether an answer asks the client to retry: after a start the
// server fills its cache, and on a busy machine the cache may lag behind etcd.
func isLater(err error) bool { return apierrors.IsTooManyRequests(err) || apierrors.IsTimeout(err) }

// expire discards a state whose version has expired. Only a restart or a long time
// may cause that.
func (w *watcher) expire() {
	w.figures.expired.Add(1)
	if w.replica == nil {
		return
	}
	if floor := w.past.restarted.Load(); w.replica.Version() >= floor && time.Now().Before(*w.past.keptUntil.Load()) {
		w.failf(w.t, "%s: version %d is gone, and the server has seen all changes since %d", w.name, w.replica.Version(), floor)
	}
	w.replica = nil
}

// attempt lists if necessary, watches until the connection ends, and compares.
func (w *watcher) attempt(ctx context.Context) (done bool, err error) {
	if w.replica == nil && (w.begin == byList || w.begin == byCachedList) {
		if err := w.list(ctx); err != nil {
			return false, err
		}
		if w.ended && !w.bookmarks { // no event would follow
			return true, nil
		}
	}
	err = w.watch(ctx)
	if w.replica != nil && !w.replica.Complete() {
		w.replica = nil // a partial state cannot be continued
	}
	if err != nil {
		return false, err
	}
	if w.replica == nil {
		return w.ended && (w.begin == byState || w.begin == byNewest), nil
	}
	return w.ended, w.compare(ctx)
}

// compare compares the replica with a list at its version.
func (w *watcher) compare(ctx context.Context) error {
	list, err := w.get(ctx, w.replica.Version(), "Exact")
	if errors.Is(err, errExpired) && w.replica.Version() < w.past.compacted.Load() {
		return nil
	}
	if err != nil {
		return err
	}
	w.figures.compared.Add(1)
	w.lists = append(w.lists, list)
	if err := w.replica.Compare(list.Objects); err != nil {
		w.failf(w.t, "%s: %v", w.name, err)
	}
	return nil
}

// codeOf returns the HTTP status code of an answer, 0 if there was none.
func codeOf(err error) int {
	if err == nil {
		return http.StatusOK
	}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return int(status.Status().Code)
	}
	return 0
}
