package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/storage"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

const (
	// requestTimeout is the deadline of every request.
	requestTimeout = time.Minute
	// readTime is how long etcd takes for a list.
	readTime = 2 * time.Second
	// encodeTime is how long a handler takes for its response.
	encodeTime = time.Millisecond
	// storageSeats is the estimate of a list from etcd: 4,000 objects of 1,000 bytes. From the
	// watch cache it is cacheSeats, since a list encodes 1,000,000 bytes at a time.
	storedObjects, storageSeats, cacheSeats = 4000, 40, 10
)

var configMaps = schema.GroupResource{Resource: "configmaps"}

func newList() runtime.Object { return &metav1.PartialObjectMetadataList{} }

// etcd is a store whose revision grows.
type etcd struct {
	storage.Interface
	took time.Duration // by a list

	mu               sync.Mutex
	revision         int
	reads, executing int
	identical        map[identity]int // that execute
	most             int              // of identical ones that executed at once
	err              error
	panics           bool
	// below, unless nil, is called by each list.
	below func(context.Context)
}

func (e *etcd) write() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.revision++
}

func (e *etcd) latest() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.revision
}

// GetList returns the state when it starts, so that what is too old shows.
func (e *etcd) GetList(ctx context.Context, key string, options storage.ListOptions, list runtime.Object) error {
	e.mu.Lock()
	revision := e.revision
	e.reads++
	id := identityOf(key, options)
	e.executing++
	e.identical[id]++
	e.most = max(e.most, e.identical[id])
	panics, err := e.panics, e.err
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.executing--
		e.identical[id]--
	}()
	if e.below != nil {
		e.below(ctx)
	}
	select {
	case <-time.After(e.took):
	case <-ctx.Done():
		return ctx.Err()
	}
	if panics {
		panic("etcd's client panics")
	}
	out := list.(*metav1.PartialObjectMetadataList)
	out.ResourceVersion = strconv.Itoa(revision)
	out.Items = []metav1.PartialObjectMetadata{{ObjectMeta: metav1.ObjectMeta{Name: key}}, {ObjectMeta: metav1.ObjectMeta{Name: "last"}}}
	return err
}

// site is a server whose watch cache lags: each of its lists reaches the guarded store.
type site struct {
	t       *testing.T
	engine  *engine.Engine
	etcd    *etcd
	reads   *Reads
	store   storage.Interface
	options filter.Options
	handler http.Handler
}

// newSite returns a site with one level, which has the seats, and an exempt one.
func newSite(t *testing.T, total int) *site {
	t.Helper()
	s := &site{t: t, engine: engine.New(engine.Options{Total: total}), etcd: &etcd{took: readTime, revision: 1, identical: map[identity]int{}}, reads: New()}
	s.configure(10)
	s.store = s.reads.Guard(s.etcd, configMaps, newList)
	options := filter.Options{
		Objects: func(string) (int64, error) { return storedObjects, nil }, Sizes: func(string) int64 { return 1000 },
		ListCost: estimate.CostBySize, WaitLimit: requestTimeout / 4,
	}
	s.filter(options)
	return s
}

func (s *site) filter(options filter.Options) {
	s.options = options
	s.handler = filter.New(s.engine, options).Handler(http.HandlerFunc(s.serve))
}

// configure also adds a level for each of the users.
func (s *site) configure(queueLength int, users ...string) {
	set := queueset.Config{Discipline: queueset.Queue, Queues: 1, HandSize: 1, QueueLengthLimit: queueLength}
	everything := []rules.ResourceRule{{Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}, ClusterScope: true, Namespaces: []string{"*"}}}
	configuration := engine.Configuration{
		Levels: []engine.LevelConfig{
			{Name: "tested", Config: set, Share: allocation.Share{Shares: 1, LendablePercent: 0}},
			{Name: rules.CatchAll, Config: queueset.Config{Discipline: queueset.Reject}},
			{Name: rules.Exempt, Config: queueset.Config{Discipline: queueset.Exempt}},
		},
		Schemas: []rules.Schema{
			{Name: "masters", Level: rules.Exempt, Precedence: 1, Rules: []rules.Rule{{Subjects: []rules.Subject{{Kind: rules.User, Name: "master"}}, ResourceRules: everything}}},
			{Name: "everybody", Level: "tested", Precedence: 100, Distinguisher: rules.ByUser, Rules: []rules.Rule{{Subjects: []rules.Subject{{Kind: rules.Group, Name: user.AllAuthenticated}}, ResourceRules: everything}}},
		},
	}
	for _, name := range users {
		configuration.Levels = append(configuration.Levels, engine.LevelConfig{Name: name, Config: set, Share: allocation.Share{Shares: 1}})
		configuration.Schemas = append(configuration.Schemas, rules.Schema{
			Name: name, Level: name, Precedence: 2,
			Rules: []rules.Rule{{Subjects: []rules.Subject{{Kind: rules.User, Name: name}}, ResourceRules: everything}},
		})
	}
	require.Empty(s.t, s.engine.Apply(configuration))
}

// listKey is the key of a list in the context of its request.
type listKey struct{}

// list is one list of a client.
type list struct {
	user, query string
	name        string        // that a field selector in the query names
	verb        string        // list unless set
	deadline    time.Duration // requestTimeout unless set
	// read, unless nil, is what its handler does instead of one GetList.
	read func(ctx context.Context) error

	result metav1.PartialObjectMetadataList
	err    error
	status int
	took   time.Duration
}

func (s *site) serve(_ http.ResponseWriter, r *http.Request) {
	l := r.Context().Value(listKey{}).(*list)
	if l.read != nil {
		l.err = l.read(r.Context())
		return
	}
	l.err = s.store.GetList(r.Context(), "/configmaps/", optionsOf(r), &l.result)
	select {
	case <-time.After(encodeTime):
	case <-r.Context().Done():
	}
}

func optionsOf(r *http.Request) storage.ListOptions {
	query := r.URL.Query()
	options := storage.ListOptions{ResourceVersion: query.Get("resourceVersion"), Recursive: true}
	options.Predicate.Continue = query.Get("continue")
	options.Predicate.Limit, _ = strconv.ParseInt(query.Get("limit"), 10, 64)
	return options
}

// send sends the list and waits for its response.
func (s *site) send(ctx context.Context, l *list) {
	info := &apirequest.RequestInfo{IsResourceRequest: true, Verb: cmp.Or(l.verb, "list"), APIVersion: "v1", Resource: configMaps.Resource, Path: "/api/v1/configmaps", Name: l.name}
	begun := time.Now()
	if l.deadline == 0 {
		l.deadline = requestTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, l.deadline)
	defer cancel()
	ctx = apirequest.WithReceivedTimestamp(ctx, begun)
	ctx = apirequest.WithUser(ctx, &user.DefaultInfo{Name: l.user, Groups: []string{user.AllAuthenticated}})
	ctx = context.WithValue(apirequest.WithRequestInfo(ctx, info), listKey{}, l)
	w := httptest.NewRecorder()
	defer func() {
		if p := recover(); p != nil {
			l.err = fmt.Errorf("panic: %v", p)
		}
		l.status, l.took = w.Code, time.Since(begun)
	}()
	r := httptest.NewRequest(http.MethodGet, info.Path+"?"+l.query, nil)
	s.handler.ServeHTTP(w, r.WithContext(ctx))
}

// sendAll sends lists at once, as users "0", "1" and so on unless they have one, and waits.
func (s *site) sendAll(lists []*list) {
	var sent sync.WaitGroup
	for i, l := range lists {
		if l.user == "" {
			l.user = strconv.Itoa(i)
		}
		sent.Go(func() { s.send(context.Background(), l) })
	}
	sent.Wait()
}

// sendShort sends a list that gets its first seats and, when it has given them back, finds that
// another request holds all. It returns when the list waits for seats; release frees them.
func (s *site) sendShort(ctx context.Context, sent *sync.WaitGroup) (_ *list, release func()) {
	held, holds := make(chan struct{}), make(chan struct{})
	l := &list{user: "short"}
	l.read = func(ctx context.Context) error {
		sent.Go(func() { s.hold("holder", storageSeats, holds, held) })
		synctest.Wait() // it waits in its queue
		err := s.store.GetList(ctx, "/configmaps/", storage.ListOptions{Recursive: true}, &l.result)
		return err
	}
	sent.Go(func() { s.send(ctx, l) })
	<-holds
	synctest.Wait()
	return l, func() { close(held) }
}

// hold holds seats as a user, and closes holds when it has them, until held is closed.
func (s *site) hold(as string, width int, holds, held chan struct{}) {
	r := s.engine.Begin()
	defer r.End()
	r.Attributes.User, r.Attributes.Groups = as, []string{user.AllAuthenticated}
	r.Attributes.IsResourceRequest, r.Attributes.Verb, r.Attributes.Resource = true, "list", configMaps.Resource
	r.Classify()
	if assert.True(s.t, r.Admit(context.Background(), seats.Work{Initial: width}, nil)) {
		close(holds)
		<-held
		r.Finish()
	}
}

func (s *site) figures() queueset.Figures {
	for _, l := range s.engine.Report().Levels {
		if l.Config.Name == "tested" {
			return l.Figures
		}
	}
	s.t.Fatal("no level")
	return queueset.Figures{}
}

// requireNothingLeft requires that no seat, queue or read has a trace of a request.
func (s *site) requireNothingLeft() {
	s.t.Helper()
	synctest.Wait()
	for _, level := range s.engine.Report().Levels {
		require.Zero(s.t, level.Figures.SeatsInUse)
		require.Zero(s.t, level.Figures.Executing)
		require.Zero(s.t, level.Figures.Waiting)
	}
	require.Empty(s.t, s.store.(*guarded).slots)
	require.Zero(s.t, s.etcd.executing)
}

// assertSound asserts that a list has the whole result of the given or a later revision.
func assertSound(t *testing.T, l *list, revision int) {
	t.Helper()
	require.NoError(t, l.err)
	got, err := strconv.Atoi(l.result.ResourceVersion)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, got, revision)
	assert.Len(t, l.result.Items, 2)
}

var errOfEtcd = errors.New("etcd rejects it")
