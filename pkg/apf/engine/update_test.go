package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

func TestAnUpdateIsAnApplyOfTheWholeConfiguration(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 5))
	for range lane.Pick(10, 100) {
		updated, applied := newFixture(t, 100), newFixture(t, 100)
		configuration := map[string]rules.Schema{}
		for range 40 {
			var change engine.Change
			for i := range 4 {
				if random.IntN(8) > 0 {
					change.Levels = append(change.Levels, queuing(fmt.Sprint("level", i), int32(10+random.IntN(2))))
				}
			}
			done := map[string]bool{}
			for range random.IntN(3) {
				name := fmt.Sprint("user", random.IntN(12))
				if random.IntN(10) == 0 {
					name = rules.Exempt
				}
				if done[name] {
					continue
				}
				done[name] = true
				_, exists := configuration[name]
				if exists && random.IntN(3) == 0 {
					change.Removed = append(change.Removed, name)
					delete(configuration, name)
					continue
				}
				s := schemaOf(name, fmt.Sprint("level", random.IntN(5)), int32(1+random.IntN(5)))
				change.Schemas = append(change.Schemas, s)
				configuration[name] = s
			}
			whole := engine.Configuration{Levels: change.Levels}
			for _, s := range configuration {
				whole.Schemas = append(whole.Schemas, s)
			}
			require.Empty(t, updated.engine.Update(change))
			applied.apply(whole)
			require.Equal(t, applied.engine.Schemas(), updated.engine.Schemas())
			require.Equal(t, inEffect(whole), byName(updated.engine.Schemas()))
			for i := range 13 {
				want, got := applied.classified(fmt.Sprint("user", i)), updated.classified(fmt.Sprint("user", i))
				require.Equal(t, want.Schema(), got.Schema())
				require.Equal(t, want.Level(), got.Level())
				require.Equal(t, want.MaxWidth(), got.MaxWidth())
				want.End()
				got.End()
			}
		}
	}
}

// inEffect returns the schemas of a configuration that take effect, by name: the ones whose level
// exists, and the mandatory ones that it lacks.
func inEffect(c engine.Configuration) map[string]rules.Schema {
	levels, schemas := map[string]bool{}, map[string]rules.Schema{}
	for _, level := range slices.Concat(c.Levels, engine.MandatoryLevels()) {
		levels[level.Name] = true
	}
	for _, s := range slices.Concat(engine.MandatorySchemas(), c.Schemas) {
		if levels[s.Level] {
			schemas[s.Name] = s
		}
	}
	return schemas
}

func byName(schemas []*rules.Schema) map[string]rules.Schema {
	named := map[string]rules.Schema{}
	for _, s := range schemas {
		named[s.Name] = *s
	}
	return named
}

func TestFiguresStayWithASchemaThatIsUpdated(t *testing.T) {
	f := newFixture(t, 100)
	levels := []engine.LevelConfig{queuing("a", 10), queuing("b", 10)}
	f.apply(engine.Configuration{Levels: levels, Schemas: []rules.Schema{schemaOf("one", "a", 10), schemaOf("two", "a", 20)}})
	f.admit("one").Finish()
	f.admit("two").Finish()
	require.Len(t, f.engine.Report().Series, 2)
	require.Empty(t, f.engine.Update(engine.Change{Levels: levels, Schemas: []rules.Schema{schemaOf("one", "a", 30)}}))
	f.clock.Advance(time.Second)
	assert.Len(t, f.engine.Report().Series, 2, "it has changed and stayed on its level")
	require.Empty(t, f.engine.Update(engine.Change{Levels: levels, Schemas: []rules.Schema{schemaOf("one", "b", 30)}, Removed: []string{"two"}}))
	assert.Empty(t, f.engine.Report().Series, "one has moved, the other is gone")
	assert.Equal(t, 2, f.engine.RetiredSeries())
}

func TestInvalidSchemasOfAnUpdateAreReported(t *testing.T) {
	f := newFixture(t, 100)
	problems := f.engine.Update(engine.Change{Schemas: []rules.Schema{{Name: ""}, schemaOf("a", "catch-all", 1), schemaOf("a", "catch-all", 2)}})
	require.Len(t, problems, 2)
	require.ErrorContains(t, problems[0].Err, "name must not be empty")
	require.ErrorContains(t, problems[1].Err, "duplicate name")
	assert.Len(t, f.engine.Schemas(), 3)
}

// The race detector compares the reads of requests with the writes of updates.
func TestRequestsAreClassifiedWhileTheConfigurationIsUpdated(t *testing.T) {
	f := newFixture(t, 100)
	levels := []engine.LevelConfig{queuing("a", 10)}
	f.apply(engine.Configuration{Levels: levels, Schemas: []rules.Schema{schemaOf("steady", "a", 500)}})
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				classified(f.engine, fmt.Sprint("user", i%50)).End()
				r := classified(f.engine, "steady")
				assert.Equal(t, "steady", r.Schema().Name)
				r.End()
			}
		})
	}
	for i := range 500 {
		name := fmt.Sprint("user", i%50)
		if i%3 == 0 {
			require.Empty(t, f.engine.Update(engine.Change{Levels: levels, Removed: []string{name}}))
			continue
		}
		require.Empty(t, f.engine.Update(engine.Change{Levels: levels, Schemas: []rules.Schema{schemaOf(name, "a", int32(i))}}))
	}
	close(done)
	readers.Wait()
}
