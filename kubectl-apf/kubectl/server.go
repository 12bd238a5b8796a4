package kubectl

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// sent is a request that the server received.
type sent struct {
	method, uri string
	user        string // impersonated; empty if it is not
	groups      []string
	info        *apirequest.RequestInfo
}

// polls is how often the same request is answered before it counts as repeated forever.
const polls = 3

// world is what a run of kubectl meets.
type world struct {
	// exist reports whether the objects exist that kubectl asks for.
	exist bool
	// awaited is what kubectl wait waits for.
	awaited awaited
	// end is called when the command would not end by itself.
	end func()
}

// server is an API server that answers as if it had the objects that it is asked for, or
// none, and records the requests.
type server struct {
	kinds    kinds
	factory  apirequest.RequestInfoFactory
	listener net.Listener
	http     http.Server

	mu    sync.Mutex // guards what follows
	world world
	sent  []sent
	seen  map[string]int
	// By path: objects that were written, nil for deleted ones; and objects that a watch will show
	// as deleted.
	objects  map[string]object
	deleting map[string]bool
}

// newServer starts a server.
func newServer(resources []*metav1.APIResourceList) (*server, error) {
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, fmt.Errorf("listening for kubectl: %w", err)
	}
	s := &server{
		kinds: kinds(resources), listener: listener,
		factory: apirequest.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")},
	}
	s.http = http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.http.Serve(listener) }() // until close
	return s, nil
}

func (s *server) close()      { _ = s.http.Close() }
func (s *server) url() string { return "http://" + s.listener.Addr().String() }

// begin makes the server forget what it was told, and answer as in the world.
func (s *server) begin(w world) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.world, s.sent, s.seen = w, nil, map[string]int{}
	s.objects, s.deleting = map[string]object{}, map[string]bool{}
}

// recorded returns the requests in their order.
func (s *server) recorded() []sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sent)
}

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	info, err := s.factory.NewRequestInfo(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.repeated(r, info) {
		s.world.end()
		return
	}
	if r.URL.Path == "/openapi/v2" && s.seen["GET /openapi/v3 "] > 0 {
		// kubectl asks for it where v3 has no fields of a kind, as here. Real servers have.
		http.NotFound(w, r)
		return
	}
	s.sent = append(s.sent, sent{
		method: r.Method, uri: r.URL.RequestURI(), info: info,
		user: r.Header.Get("Impersonate-User"), groups: r.Header.Values("Impersonate-Group"),
	})
	if info.IsResourceRequest {
		s.serveResource(w, r, info)
		return
	}
	s.serveOther(w, r)
}

// repeated reports whether the client repeats itself: it watches the same again, or polls.
func (s *server) repeated(r *http.Request, info *apirequest.RequestInfo) bool {
	query := r.URL.Query()
	query.Del("resourceVersion")
	query.Del("timeoutSeconds")
	query.Del("timeout")
	key := strings.Join([]string{r.Method, r.URL.Path, query.Encode()}, " ")
	s.seen[key]++
	return info.Verb == "watch" && s.seen[key] > 1 || s.seen[key] > polls
}
