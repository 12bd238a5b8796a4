package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

const scaler, builder = "system:serviceaccount:shop:scaler", "system:serviceaccount:shop:builder"

// withTenants returns an engine with a flow schema of each distinguisher.
func withTenants(t *testing.T, tenants rules.Tenants) *fixture {
	f := newFixture(t, 100)
	f.clock = clock.NewFake(time.Unix(0, 0))
	f.engine = engine.New(engine.Options{Clock: f.clock, Total: 100, Tenants: tenants})
	byUser, byNamespace, rejected := schemaOf("accounts", "queuing", 3), schemaOf("by-namespace", "queuing", 1), schemaOf("rejected", "rejecting", 2)
	byUser.Distinguisher, rejected.Distinguisher = rules.ByUser, rules.ByUser
	byUser.Rules[0].Subjects[0].Name = rules.All
	byNamespace.Rules[0].Subjects[0].Name = "system:serviceaccount:ns:by-namespace"
	rejected.Rules[0].Subjects[0].Name = "system:serviceaccount:ns:rejected"
	f.apply(engine.Configuration{
		Levels:  []engine.LevelConfig{queuing("queuing", 50), rejecting("rejecting", 50)},
		Schemas: []rules.Schema{byUser, byNamespace, rejected},
	})
	return f
}

func TestARequestGetsItsTenantAtClassification(t *testing.T) {
	for user, want := range map[string]string{
		scaler:                                  "shop",
		builder:                                 "shop",
		"alice":                                 "",
		"system:serviceaccount:ns:by-namespace": "", // a namespace has requests of many users
		"system:serviceaccount:ns:rejected":     "", // nothing waits
	} {
		r := withTenants(t, rules.ServiceAccountNamespaces).classified(user)
		assert.Equal(t, want, r.Tenant, user)
		r.End()
		assert.Empty(t, r.Tenant, "a Request is used again")
		r = withTenants(t, rules.NoTenants).classified(user)
		assert.Empty(t, r.Tenant, user)
		r.End()
	}
}

func TestClassificationWithTenantsDoesNotAllocate(t *testing.T) {
	f := withTenants(t, rules.ServiceAccountNamespaces)
	r := f.classified(scaler)
	assert.Zero(t, testing.AllocsPerRun(100, r.Classify))
	r.End()
}

func TestTopFlowsAndDumpsNameTheTenant(t *testing.T) {
	f := withTenants(t, rules.ServiceAccountNamespaces)
	for _, user := range []string{scaler, "alice"} {
		r := f.classified(user)
		require.True(t, r.Admit(t.Context(), seats.Work{Initial: 1}, nil))
		for _, level := range f.engine.Dump() {
			for _, dumped := range level.Requests {
				assert.Equal(t, r.Tenant, dumped.Tenant)
			}
		}
		f.clock.Advance(time.Second)
		r.Finish()
		r.End()
	}
	tenants := map[string]string{}
	for _, level := range f.engine.TopFlows() {
		for _, flow := range level.Flows {
			tenants[flow.Distinguisher] = flow.Tenant
		}
	}
	assert.Equal(t, map[string]string{scaler: "shop", "alice": ""}, tenants)
}

// Two tenants always have requests that wait, one with 30 flows and one with one: each gets half.
func TestATenantGetsNoMoreForItsNames(t *testing.T) {
	for tenants, want := range map[rules.Tenants]float64{rules.ServiceAccountNamespaces: 1. / 2, rules.NoTenants: 1. / 31} {
		f := withTenants(t, tenants)
		assert.InDelta(t, want, f.shareOfNeighbour(30), 0.02, tenants)
	}
}

// shareOfNeighbour returns the part of the seat-seconds that a user gets beside the service accounts of
// a namespace. All have as many requests as may wait.
func (f *fixture) shareOfNeighbour(accounts int) float64 {
	const requests = 10 // all may wait
	var running []*engine.Request
	start := func(user string) {
		r := f.classified(user)
		r.Decided = func() { running = append(running, r) }
		if r.Arrive(seats.Work{Initial: 5}) == queueset.Seated {
			running = append(running, r)
		}
	}
	users := []string{"alice"}
	for i := range accounts {
		users = append(users, fmt.Sprint("system:serviceaccount:shop:", i))
	}
	for _, user := range users {
		for range requests {
			start(user)
		}
	}
	own, all := 0, 0
	for range 400 {
		f.clock.Advance(100 * time.Millisecond)
		ended := running
		running = nil
		for _, r := range ended {
			all++
			user := r.Attributes.User
			if user == "alice" {
				own++
			}
			r.Finish()
			r.End()
			start(user)
		}
	}
	return float64(own) / float64(all)
}
