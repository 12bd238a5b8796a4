package histories

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"sync/atomic"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/scheme"
)

// Recorder records the true histories of the resources from etcd.
type Recorder struct {
	client *clientv3.Client
	prefix string // ends with a slash
	each   func(Write)

	histories map[string]*History // by resource; read-only once done is closed
	seen      atomic.Int64
	done      chan struct{}
	err       error // set before done is closed
	cancel    context.CancelFunc
}

// Write is a change of an object in etcd, or an object of the first state.
type Write struct {
	Resource, Name string
	Version        int64
	// Object is the object after the change, nil if it was deleted.
	Object runtime.Object
}

// Record reads the objects below PREFIX/RESOURCE/ and records their changes until
// Finish. Objects of other resources are ignored: a kube-apiserver has many. It calls each with every
// write, in their order and one at a time; Finish returns after the last call. Meanwhile etcd
// must not be compacted beyond Seen.
func Record(ctx context.Context, client *clientv3.Client, prefix string, each func(Write), resources ...string) (*Recorder, error) {
	r := &Recorder{client: client, prefix: prefix + "/", each: each, histories: map[string]*History{}, done: make(chan struct{})}
	response, err := client.Get(ctx, r.prefix, clientv3.WithPrefix())
	if err != nil {
		return nil, fmt.Errorf("reading %s from etcd: %w", r.prefix, err)
	}
	first := map[string][]Object{}
	for _, pair := range response.Kvs {
		resource := r.resource(pair)
		if !slices.Contains(resources, resource) {
			continue
		}
		object, err := r.decode(pair)
		if err != nil {
			return nil, err
		}
		first[resource] = append(first[resource], *object)
	}
	for _, resource := range resources {
		r.histories[resource] = NewHistory(response.Header.Revision, first[resource]...)
	}
	r.seen.Store(response.Header.Revision)

	ctx, r.cancel = context.WithCancel(ctx)
	go r.follow(ctx, response.Header.Revision+1)
	return r, nil
}

// resource returns the last folder of a key.
func (r *Recorder) resource(pair *mvccpb.KeyValue) string {
	return path.Base(path.Dir(string(pair.Key)))
}

// Seen returns the revision of the last recorded change.
func (r *Recorder) Seen() int64 { return r.seen.Load() }

// endKey is not an object. Writing it ends the history.
const endKey = "end-of-history"

// Finish writes a key beside the objects, waits until all earlier changes are
// recorded, and returns the histories by resource. They include every version that
// a server returned before the call.
func (r *Recorder) Finish(ctx context.Context) (map[string]*History, error) {
	if _, err := r.client.Put(ctx, r.prefix+endKey, "end"); err != nil {
		return nil, fmt.Errorf("ending the history: %w", err)
	}
	select {
	case <-r.done:
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for the end of the history: %w", context.Cause(ctx))
	}
	r.cancel()
	return r.histories, r.err
}

var errEnded = errors.New("etcd ended the watch")

// follow records changes until the end key is written.
func (r *Recorder) follow(ctx context.Context, revision int64) {
	defer close(r.done)
	r.err = errEnded
	for response := range r.client.Watch(ctx, r.prefix, clientv3.WithPrefix(), clientv3.WithRev(revision)) {
		if err := response.Err(); err != nil {
			r.err = fmt.Errorf("following %s in etcd: %w", r.prefix, err)
			return
		}
		for _, event := range response.Events {
			if path.Base(string(event.Kv.Key)) == endKey {
				r.err = nil
				return
			}
			if r.err = r.append(event); r.err != nil {
				return
			}
			r.err = errEnded
			r.seen.Store(event.Kv.ModRevision)
		}
	}
}

func (r *Recorder) append(event *clientv3.Event) error {
	history, recorded := r.histories[r.resource(event.Kv)]
	if !recorded {
		return nil
	}
	change := Change{Version: event.Kv.ModRevision, Name: path.Base(string(event.Kv.Key))}
	if event.Type == clientv3.EventTypeDelete {
		r.each(Write{Resource: r.resource(event.Kv), Name: change.Name, Version: change.Version})
	} else {
		object, err := r.decode(event.Kv)
		if err != nil {
			return err
		}
		change.Object = object
	}
	return history.Append(change)
}

// decode decodes a stored object and tells each. Its version is the revision of its
// key.
func (r *Recorder) decode(pair *mvccpb.KeyValue) (*Object, error) {
	decoded, _, err := scheme.Codecs.UniversalDeserializer().Decode(pair.Value, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("decoding %s: %w", pair.Key, err)
	}
	access, err := meta.Accessor(decoded)
	if err != nil {
		return nil, fmt.Errorf("%s holds a %T: %w", pair.Key, decoded, err)
	}
	access.SetResourceVersion(strconv.FormatInt(pair.ModRevision, 10))
	r.each(Write{Resource: r.resource(pair), Name: access.GetName(), Version: pair.ModRevision, Object: decoded})
	object, err := ObjectOf(decoded)
	return &object, err
}
