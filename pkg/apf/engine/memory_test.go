//go:build !race

package engine_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

func heapBytes() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// Each schema took 300 KB for 1,000 users with long names.
func TestSchemasTakeBoundedMemoryHoweverManyUsersTheyQueue(t *testing.T) {
	const schemas, users = 100, 1000
	f := newFixture(t, 1)
	level := queuing("level", 10)
	level.QueueLengthLimit = 1
	c := engine.Configuration{Levels: []engine.LevelConfig{level}}
	for i := range schemas {
		schema := schemaOf(fmt.Sprint("schema-", i), "level", 10)
		schema.Distinguisher = rules.ByUser
		schema.Rules[0].Subjects[0] = rules.Subject{Kind: rules.Group, Name: fmt.Sprint("group-", i)}
		c.Schemas = append(c.Schemas, schema)
	}
	f.apply(c)
	// One request executes and the queues are full. All others are rejected after the
	// choice of a queue by their flow.
	var held []*engine.Request
	for range 2 + level.Queues {
		r := f.classified(fmt.Sprint("holder-", len(held)), "group-0")
		if r.Arrive(seats.Work{Initial: 1}) != queueset.Rejected {
			held = append(held, r)
		}
	}
	before := heapBytes()
	name := strings.Repeat("x", 200)
	for i := range schemas {
		group := fmt.Sprint("group-", i)
		for j := range users {
			r := f.classified(fmt.Sprint(name, i, "-", j), group)
			if r.Arrive(seats.Work{Initial: 1}) != queueset.Rejected {
				held = append(held, r)
				continue
			}
			r.End()
		}
	}
	const forLevel = 1 << 20 // rejections, waiting requests
	assert.LessOrEqual(t, heapBytes()-before, flow.MaxCacheBytes+schemas*stats.MaxSeriesBytes+forLevel)
	require.NotEmpty(t, held)
	runtime.KeepAlive(f)
}
