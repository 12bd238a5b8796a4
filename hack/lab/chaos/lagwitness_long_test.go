//go:build long

package chaos_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

const (
	// changing is the object that changes, and counter its label that says how often.
	changing, counter = 0, "example.com/counter"
	changePace        = 200 * time.Millisecond
)

// witness changes an object in etcd and looks whether lists of it are older than they may be.
type witness struct {
	mu      sync.Mutex // guards what follows
	written int        // the last change that etcd has confirmed
	seen    int        // lists
	stale   int
}

// run changes and lists until ctx ends.
func (w *witness) run(ctx context.Context, l *lagSite, store *clientv3.Client) {
	var both sync.WaitGroup
	defer both.Wait()
	both.Go(func() { w.look(ctx, l) })
	for n := w.written + 1; ctx.Err() == nil; n++ {
		labels := map[string]string{counter: strconv.Itoa(n)}
		if err := traffic.Put(ctx, store, l.server.prefix, changing, l.size, labels); err == nil {
			w.mu.Lock()
			w.written = n
			w.mu.Unlock()
		}
		select {
		case <-time.After(changePace):
		case <-ctx.Done():
		}
	}
}

// look lists the object.
func (w *witness) look(ctx context.Context, l *lagSite) {
	for ctx.Err() == nil {
		w.mu.Lock()
		least := w.written
		w.mu.Unlock()
		if got, err := listed(ctx, l.target); err == nil {
			w.mu.Lock()
			w.seen++
			if got < least {
				w.stale++
			}
			w.mu.Unlock()
		}
	}
}

// listed returns the counter that a list of the object shows.
func listed(ctx context.Context, target *traffic.Target) (int, error) {
	path := collection + "?fieldSelector=metadata.name%3D" + traffic.NameOfFilled(changing)
	var list metav1.PartialObjectMetadataList
	status, _, body, err := target.Do(ctx, traffic.User{Token: "witness"}, traffic.Request{Path: path})
	if err != nil {
		return 0, err
	}
	if status != http.StatusOK || json.Unmarshal(body, &list) != nil || len(list.Items) != 1 {
		return 0, errors.New("no list")
	}
	n, _ := strconv.Atoi(list.Items[0].Labels[counter]) // 0 before the first change
	return n, nil
}
