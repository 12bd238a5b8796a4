package estimate

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

func TestReadsCostWhatTheReleaseCounts(t *testing.T) {
	secrets := Stored{Objects: 10_000, Size: 2_000}
	few := Stored{Objects: 300, Size: 1_000}
	for _, test := range []struct {
		name     string
		minor    int
		read     Read
		stored   Stored
		maxWidth int
		want     int
	}{
		{"objects from the cache", 33, Read{}, few, 0, 3},
		{"objects from etcd before consistent reads from the cache", 30, Read{}, few, 0, 6},
		{"ten seats are the most by objects", 33, Read{}, secrets, 0, 10},
		{"bytes from the cache are streamed", 34, Read{}, secrets, 0, 10},
		{"a page from the cache", 34, Read{Limit: 100}, secrets, 0, 2},
		{"the same by objects goes through the cache", 33, Read{Limit: 100}, secrets, 0, 10},
		{"an exact version comes from etcd", 34, Read{ResourceVersion: "5", ResourceVersionMatch: "Exact"}, secrets, 0, 100},
		{"a level bounds it", 34, Read{ResourceVersion: "5", ResourceVersionMatch: "Exact"}, secrets, 37, 37},
		{"a selector decodes half", 34, Read{Continue: "x", Selects: true, Limit: 500}, Stored{Objects: 2_001, Size: 1_000}, 0, 10},
		{"a page larger than half", 34, Read{Continue: "x", Selects: true, Limit: 1_500}, Stored{Objects: 2_001, Size: 1_000}, 0, 15},
		{"a page without a selector", 34, Read{Continue: "x", Limit: 500}, Stored{Objects: 2_001, Size: 1_000}, 0, 5},
		{"an unknown size is the largest", 34, Read{Continue: "x", Limit: 2}, Stored{Objects: 100}, 0, 30},
		{"one object of unknown size from the cache", 34, Read{Named: true}, Stored{Objects: 100}, 0, 10},
		{"one large object", 34, Read{Named: true}, Stored{Objects: 3, Size: 250_000}, 0, 3},
		{"one object by name", 33, Read{Named: true}, secrets, 0, 1},
		{"nothing stored", 34, Read{}, Stored{}, 0, 1},
		{"stored elsewhere", 36, Read{}, Stored{Unknown: true}, 0, 1},
		{"numbers that cannot be do no harm", 36, Read{Continue: "x"}, Stored{Objects: math.MaxInt64, Size: math.MaxInt64}, 0, 100},
		{"nor do negative ones", 36, Read{Continue: "x"}, Stored{Objects: -5, Size: -5}, 0, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			cost := ForKubernetes(test.minor).Read(test.read, test.stored, test.maxWidth)
			assert.Equal(t, seats.Work{Initial: test.want}, cost.Work, "%+v", cost)
		})
	}
}

func TestWatchesThatBeginWithAListCostAsOne(t *testing.T) {
	yes, no := true, false
	legacy, recent := Read{Watch: true, ResourceVersion: "0"}, Read{Watch: true, ResourceVersion: "5"}
	streaming := Read{Watch: true, ResourceVersion: "5", SendInitialEvents: &yes}
	rejected := Read{Watch: true, SendInitialEvents: &no}
	stored := Stored{Objects: 300, Size: 1_000}
	for name, c := range map[string]struct {
		estimator                           Estimator
		legacy, recent, streaming, rejected int
	}{
		"1.31":        {ForKubernetes(31), 1, 1, 1, 1},
		"1.32":        {ForKubernetes(32), 1, 1, 3, 1},
		"1.33":        {ForKubernetes(33), 1, 1, 1, 1},
		"1.34":        {ForKubernetes(34), 1, 1, 3, 1},
		"1.35":        {ForKubernetes(35), 3, 1, 3, 3},
		"1.37":        {ForKubernetes(37), 3, 1, 3, 3},
		"this server": {ByCount(), 3, 1, 3, 1},
	} {
		t.Run(name, func(t *testing.T) {
			for want, read := range map[*int]Read{&c.legacy: legacy, &c.recent: recent, &c.streaming: streaming, &c.rejected: rejected} {
				assert.Equal(t, *want, c.estimator.Read(read, stored, 0).Work.Initial, "%+v", read)
			}
		})
	}
}

func TestTheWatchCacheServesListsByTheirOptions(t *testing.T) {
	for _, test := range []struct {
		name            string
		read            Read
		before, present bool
	}{
		{"the most recent state", Read{}, false, true},
		{"a page of it", Read{Limit: 5}, false, true},
		{"any version", Read{ResourceVersion: "0"}, true, true},
		{"a page of any version", Read{ResourceVersion: "0", Limit: 5}, true, true},
		{"a version or later", Read{ResourceVersion: "7"}, true, true},
		{"a page of a version", Read{ResourceVersion: "7", Limit: 5}, false, false},
		{"not older, in pages", Read{ResourceVersion: "7", ResourceVersionMatch: "NotOlderThan", Limit: 5}, false, true},
		{"not older", Read{ResourceVersion: "7", ResourceVersionMatch: "NotOlderThan"}, true, true},
		{"exactly", Read{ResourceVersion: "7", ResourceVersionMatch: "Exact"}, false, false},
		{"a further page", Read{Continue: "x"}, false, false},
		{"an unknown match", Read{ResourceVersion: "7", ResourceVersionMatch: "Sometimes"}, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.before, ForKubernetes(30).Read(test.read, Stored{}, 0).Cached)
			for _, e := range []Estimator{ForKubernetes(31), ForKubernetes(37), ByCount()} {
				assert.Equal(t, test.present, e.Read(test.read, Stored{}, 0).Cached)
			}
		})
	}
}

func TestACostSaysHowItWasComputed(t *testing.T) {
	stored := Stored{Objects: 10_000, Size: 2_000}
	assert.Equal(t, Cost{
		Work: seats.Work{Initial: 8}, AsList: true, Cached: true, Objects: 10_000, Unbounded: 100, Bound: 8,
	}, ForKubernetes(33).Read(Read{}, stored, 8))
	assert.Equal(t, Cost{
		Work: seats.Work{Initial: 10}, AsList: true, Cached: true, Objects: 10_000, Bytes: 1_000_000, Unbounded: 10, Bound: 100,
	}, ForKubernetes(36).Read(Read{}, stored, 0))
	assert.Equal(t, Cost{Work: One()}, ForKubernetes(33).Read(Read{Named: true}, stored, 8))
}
