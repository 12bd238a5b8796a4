package trackrecord

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage"
	etcdfeature "k8s.io/apiserver/pkg/storage/feature"

	apfstorage "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/storage"
)

// Lists that fall back to etcd. "make lag" measures the memory of real servers.
func case138494() Case {
	const clients = 50
	return Case{
		Repository: kubernetes, Number: 138494, Year: 2026,
		Says:     "The watch cache lagged behind etcd, so each list of the latest state read etcd by itself: etcd grew from 17 to 180 GB.",
		Does:     "Fifty clients list pods without pause for a minute. The watch cache does not advance, and etcd takes two seconds for a list.",
		Measures: "How many lists read etcd at once. More than one of the same list is harm. `make lag` measures the memory of real servers: [reliability](reliability.md#when-the-watch-cache-lags).",
		Setup: Setup{
			Total:   600,
			Levels:  levels{queuing("workload", 100, 64, 6)},
			Schemas: schemas{ofUsers("clients", "workload", 100, "client")},
			Stored:  map[string]int64{"pods": 1000},
		},
		Run: func(s *Site) Outcome {
			etcd := &slowEtcd{}
			s.setup.Serve = s.behindALaggingCache(etcd)
			answers := s.Flood(clients, time.Minute, Request{User: "client", Path: "/api/v1/pods"})
			s.Wait(2 * time.Minute)
			return Outcome{
				Measured: fmt.Sprintf("%d at once, %d reads for %d lists", etcd.most, etcd.reads, answers.Executed()),
				Harmed:   etcd.most > 1,
			}
		},
	}
}

// slowEtcd takes its time for a list.
type slowEtcd struct {
	storage.Interface

	mu               sync.Mutex // guards what follows
	reads, now, most int
}

func (e *slowEtcd) GetList(ctx context.Context, _ string, _ storage.ListOptions, _ runtime.Object) error {
	e.count(1)
	defer e.count(-1)
	select {
	case <-time.After(2 * time.Second):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (e *slowEtcd) count(delta int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.now += delta
	e.reads += max(delta, 0)
	e.most = max(e.most, e.now)
}

// withProgress is an etcd that reports the progress of watches, so that the cache serves lists
// of the latest state.
type withProgress struct {
	etcdfeature.FeatureSupportChecker
}

func (withProgress) Supports(storage.Feature) bool { return true }

// behindALaggingCache returns a handler of lists. It waits for the watch cache as long as the
// library's, three seconds, and reads etcd then: the library's cache itself needs real time.
func (s *Site) behindALaggingCache(etcd storage.Interface) http.HandlerFunc {
	former := etcdfeature.DefaultFeatureSupportChecker
	etcdfeature.DefaultFeatureSupportChecker = withProgress{former}
	s.T.Cleanup(func() { etcdfeature.DefaultFeatureSupportChecker = former })
	newList := func() runtime.Object { return &metav1.PartialObjectMetadataList{} }
	if !s.Peer {
		reads := apfstorage.New()
		etcd = reads.Guard(etcd, schema.GroupResource{Resource: "pods"}, newList)
		s.register(reads)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(3 * time.Second):
		case <-r.Context().Done():
		}
		if err := etcd.GetList(r.Context(), "/registry/pods", storage.ListOptions{Recursive: true}, newList()); err != nil {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}
}
