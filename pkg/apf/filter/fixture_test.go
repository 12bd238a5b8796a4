package filter

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/user"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server/filters"
	"k8s.io/apiserver/pkg/util/flowcontrol"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

const (
	levelUID  = "9f6c0c1e-level"
	schemaUID = "41d7ab52-schema"
	nobody    = "alice"
	master    = "admin"
)

// site is a server with one limited level, "tested", which has all seats.
type site struct {
	t       *testing.T
	engine  *engine.Engine
	watches flowcontrol.WatchTracker
	options Options
}

func newSite(t *testing.T, discipline queueset.Discipline, seats int) *site {
	t.Helper()
	set := queueset.Config{Discipline: discipline}
	if discipline == queueset.Queue {
		set.Queues, set.HandSize, set.QueueLengthLimit = 1, 1, 1000
	}
	s := &site{
		t:       t,
		engine:  engine.New(engine.Options{Total: seats}),
		watches: flowcontrol.NewWatchTracker(),
	}
	problems := s.engine.Apply(engine.Configuration{
		Levels: []engine.LevelConfig{
			{Name: "tested", UID: levelUID, Config: set, Share: allocation.Share{Shares: 1, LendablePercent: 100}},
			{Name: rules.CatchAll, Config: queueset.Config{Discipline: queueset.Reject}},
		},
		Schemas: []rules.Schema{{
			Name: "everybody", UID: schemaUID, Level: "tested", Precedence: 100,
			Rules: []rules.Rule{{
				Subjects: []rules.Subject{{Kind: rules.User, Name: nobody}},
				ResourceRules: []rules.ResourceRule{{
					Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"},
					ClusterScope: true, Namespaces: []string{"*"},
				}},
				NonResourceRules: []rules.NonResourceRule{{Verbs: []string{"*"}, URLs: []string{"*"}}},
			}},
		}},
	})
	require.Empty(t, problems)
	s.options = Options{
		LongRunning: filters.BasicLongRunningRequestCheck(sets.NewString("watch", "proxy"), sets.NewString("log")),
		Watches:     s.watches,
	}
	return s
}

// before wraps a handler in the filter.
func (s *site) before(handler http.HandlerFunc) http.Handler {
	return New(s.engine, s.options).Handler(handler)
}

// ask sends one request and returns the response.
func (s *site) ask(handler http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func (s *site) figures(level string) queueset.Figures {
	for _, l := range s.engine.Report().Levels {
		if l.Config.Name == level {
			return l.Figures
		}
	}
	s.t.Fatalf("no level %q", level)
	return queueset.Figures{}
}

func (s *site) series(schema string) *stats.Snapshot {
	series := s.engine.Report().Series
	for i := range series {
		if series[i].Schema == schema {
			return &series[i]
		}
	}
	return &stats.Snapshot{}
}

// requireIdle requires that all seats are free.
func (s *site) requireIdle() {
	s.t.Helper()
	for _, level := range s.engine.Report().Levels {
		require.Zero(s.t, level.Figures.SeatsInUse, level.Config.Name)
		require.Zero(s.t, level.Figures.Executing, level.Config.Name)
		require.Zero(s.t, level.Figures.Waiting, level.Config.Name)
	}
	require.Zero(s.t, s.watching())
}

// watching returns the number of registered watches of configmaps.
func (s *site) watching() int {
	return s.watches.GetInterestedWatchCount(&apirequest.RequestInfo{Verb: "update", Resource: "configmaps", Namespace: "default"})
}

// busy takes a seat and returns a function that releases it.
func (s *site) busy() (release func()) {
	hold, held, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	handler := s.before(func(http.ResponseWriter, *http.Request) { close(held); <-hold })
	go func() {
		defer close(done)
		s.ask(handler, requestBy(nobody, "get", ""))
	}()
	<-held
	return func() { close(hold); <-done }
}

// requestBy returns a request as the preceding filters leave it.
func requestBy(name, verb, query string) *http.Request {
	info := &apirequest.RequestInfo{
		IsResourceRequest: true, Verb: verb, APIVersion: "v1", Resource: "configmaps",
		Namespace: "default", Path: "/api/v1/namespaces/default/configmaps",
	}
	return requestOf(name, info, query)
}

func requestOf(name string, info *apirequest.RequestInfo, query string) *http.Request {
	groups := []string{user.AllAuthenticated}
	if name == master || name == user.APIServerUser {
		groups = append(groups, user.SystemPrivilegedGroup)
	}
	r := httptest.NewRequest(http.MethodGet, info.Path, nil)
	r.URL.RawQuery = query
	ctx := apirequest.WithReceivedTimestamp(context.Background(), time.Now())
	ctx = apirequest.WithUser(ctx, &user.DefaultInfo{Name: name, Groups: groups})
	return r.WithContext(apirequest.WithRequestInfo(ctx, info))
}

func infoOf(r *http.Request) *apirequest.RequestInfo {
	info, _ := apirequest.RequestInfoFrom(r.Context())
	return info
}

func userOf(r *http.Request) user.Info {
	requester, _ := apirequest.UserFrom(r.Context())
	return requester
}
