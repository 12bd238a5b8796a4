package engine_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/leaks"
)

func TestMain(m *testing.M) { leaks.Main(m) }

type fixture struct {
	t      *testing.T
	clock  *clock.Fake
	engine *engine.Engine
}

func newFixture(t *testing.T, total int) *fixture {
	c := clock.NewFake(time.Unix(0, 0))
	return &fixture{t: t, clock: c, engine: engine.New(engine.Options{Clock: c, Total: total})}
}

func queuing(name string, shares int32) engine.LevelConfig {
	return engine.LevelConfig{
		Name:   name,
		Config: queueset.Config{Discipline: queueset.Queue, Queues: 8, HandSize: 2, QueueLengthLimit: 50},
		Share:  allocation.Share{Shares: shares},
	}
}

func rejecting(name string, shares int32) engine.LevelConfig {
	return engine.LevelConfig{
		Name:   name,
		Config: queueset.Config{Discipline: queueset.Reject},
		Share:  allocation.Share{Shares: shares},
	}
}

// schemaOf returns a schema that matches all requests of the user of the same
// name.
func schemaOf(name, level string, precedence int32) rules.Schema {
	all := []string{rules.All}
	return rules.Schema{
		Name: name, Level: level, Precedence: precedence, Distinguisher: rules.ByNamespace,
		Rules: []rules.Rule{{
			Subjects:      []rules.Subject{{Kind: rules.User, Name: name}},
			ResourceRules: []rules.ResourceRule{{Verbs: all, APIGroups: all, Resources: all, Namespaces: all, ClusterScope: true}},
		}},
	}
}

func (f *fixture) apply(c engine.Configuration) {
	f.t.Helper()
	require.Empty(f.t, f.engine.Apply(c))
}

// classified returns a classified request of the user.
func (f *fixture) classified(user string, groups ...string) *engine.Request {
	return classified(f.engine, user, groups...)
}

func classified(e *engine.Engine, user string, groups ...string) *engine.Request {
	t := e.Begin()
	a := &t.Attributes
	a.User, a.Groups = user, slices.Concat(groups, []string{"system:authenticated"})
	a.Verb, a.IsResourceRequest, a.Resource, a.Namespace = "get", true, "pods", "default"
	t.Classify()
	return t
}

// admit admits a request and fails if it has to wait.
func (f *fixture) admit(user string) *engine.Request {
	f.t.Helper()
	t := f.classified(user)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.True(f.t, t.Admit(ctx, seats.Work{Initial: 1}, nil), "%s was rejected: %v", user, t.Reason())
	return t
}

func (f *fixture) reject(user string) {
	f.t.Helper()
	t := f.classified(user)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.False(f.t, t.Admit(ctx, seats.Work{Initial: 1}, nil))
	t.End()
}

func (f *fixture) level(name string) (engine.LevelReport, bool) {
	for _, l := range f.engine.Report().Levels {
		if l.Config.Name == name {
			return l, true
		}
	}
	return engine.LevelReport{}, false
}
