package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

func TestTheMandatoryObjectsActWhateverIsConfigured(t *testing.T) {
	for name, c := range map[string]engine.Configuration{
		"nothing": {},
		"a level and a schema": {
			Levels: []engine.LevelConfig{queuing("a", 10)}, Schemas: []rules.Schema{schemaOf("a", "a", 10)},
		},
		"another form of catch-all": {
			Levels: []engine.LevelConfig{rejecting("catch-all", 7)}, Schemas: []rules.Schema{schemaOf("a", "catch-all", 10)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, 600)
			f.apply(c)
			for user, expected := range map[string]string{"admin": "exempt", "somebody": "catch-all"} {
				var groups []string
				if user == "admin" {
					groups = []string{"system:masters"}
				}
				request := f.classified(user, groups...)
				assert.Equal(t, expected, request.Schema().Name)
				assert.Equal(t, expected, request.Level().Name)
				assert.Equal(t, user == "admin", request.Exempt())
			}
			stranger := f.engine.Begin()
			stranger.Classify()
			assert.Equal(t, "catch-all", stranger.Schema().Name, "a request without any group goes there too")
		})
	}
}

func TestWhatIsMalformedIsReportedWithItsReasonAndIgnored(t *testing.T) {
	good, schemas := queuing("a", 30), []rules.Schema{schemaOf("a", "a", 10)}
	for reason, change := range map[string]func(*engine.LevelConfig){
		"name must not be empty":                                func(c *engine.LevelConfig) { c.Name = "" },
		"discipline must be Exempt, Reject or Queue, not Unset": func(c *engine.LevelConfig) { c.Config = queueset.Config{} },
		"only that, must have type Exempt":                      func(c *engine.LevelConfig) { c.Config = queueset.Config{Discipline: queueset.Exempt} },
		`"exempt" has type Queue`:                               func(c *engine.LevelConfig) { c.Name = rules.Exempt },
		"-3 shares":                                             func(c *engine.LevelConfig) { c.Shares = -3 },
		"lendable percent 101":                                  func(c *engine.LevelConfig) { c.LendablePercent = 101 },
		"lendable percent -1":                                   func(c *engine.LevelConfig) { c.LendablePercent = -1 },
		"borrowing limit percent -1":                            func(c *engine.LevelConfig) { c.BorrowingLimitPercent = new(int32(-1)) },
		"queue length limit 0":                                  func(c *engine.LevelConfig) { c.QueueLengthLimit = 0 },
		"hand":                                                  func(c *engine.LevelConfig) { c.HandSize = 100 },
	} {
		t.Run(reason, func(t *testing.T) {
			f := newFixture(t, 100)
			f.apply(engine.Configuration{Levels: []engine.LevelConfig{good}, Schemas: schemas})
			bad := good
			change(&bad)
			problems := f.engine.Apply(engine.Configuration{Levels: []engine.LevelConfig{bad}, Schemas: schemas})
			require.Len(t, problems, 1)
			assert.Equal(t, engine.Problem{Kind: engine.LevelKind, Name: bad.Name, Err: problems[0].Err}, problems[0])
			assert.ErrorContains(t, problems[0].Err, reason)
			_, ok := f.level("a")
			assert.False(t, ok, "whatever was in effect before")
			assert.Equal(t, "catch-all", f.classified("a").Schema().Name, "the schema of a level that is ignored dangles")
		})
	}
	f := newFixture(t, 100)
	assert.Len(t, f.engine.Apply(engine.Configuration{Levels: []engine.LevelConfig{good, good}, Schemas: schemas}), 1)
	twice := []rules.Schema{schemaOf("a", "a", 10), schemaOf("a", "a", 20), schemaOf("", "a", 1)}
	assert.Len(t, f.engine.Apply(engine.Configuration{Levels: []engine.LevelConfig{good}, Schemas: twice}), 2)
}

func TestApplyingLosesNoRequest(t *testing.T) {
	e := engine.New(engine.Options{Total: 20})
	names := []string{"a", "b", "c"}
	stop := make(chan struct{})
	var applier, senders sync.WaitGroup
	applier.Go(func() {
		random := rand.New(rand.NewPCG(1, 1))
		for {
			select {
			case <-stop:
				return
			default:
			}
			c := engine.Configuration{}
			for i, name := range names {
				switch random.IntN(4) {
				case 0:
					continue
				case 1:
					c.Levels = append(c.Levels, rejecting(name, 10))
				default:
					level := queuing(name, int32(1+random.IntN(20)))
					level.Queues = 2 + random.IntN(30)
					c.Levels = append(c.Levels, level)
				}
				c.Schemas = append(c.Schemas, schemaOf(name, name, int32(10+i)))
			}
			assert.Empty(t, e.Apply(c))
			e.SetTotal(10 + random.IntN(20))
			e.Rebalance()
			e.Dump()
		}
	})
	var executed, rejected, executing atomic.Int64
	for i := range 24 {
		senders.Go(func() {
			for n := range 500 {
				request := classified(e, names[(i+n)%3])
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				if request.Admit(ctx, seats.Work{Initial: 1 + n%3}, nil) {
					executing.Add(1)
					executed.Add(1)
					executing.Add(-1)
					request.Finish()
				} else {
					rejected.Add(1)
				}
				cancel()
				request.End()
			}
		})
	}
	senders.Wait()
	close(stop)
	applier.Wait()
	assert.EqualValues(t, 24*500, executed.Load()+rejected.Load())
	assert.Positive(t, executed.Load())
	for _, level := range e.Report().Levels {
		assert.Zero(t, level.Figures.SeatsInUse, level.Config.Name)
		assert.Zero(t, level.Figures.Waiting, level.Config.Name)
	}
	require.Empty(t, e.Apply(engine.Configuration{}))
	assert.Len(t, e.Report().Levels, 2, "the levels that quiesced are gone")
}

func TestFiguresStayWithASchemaThatStaysOnItsLevel(t *testing.T) {
	f := newFixture(t, 100)
	levels := []engine.LevelConfig{queuing("a", 10), queuing("b", 10)}
	f.apply(engine.Configuration{Levels: levels, Schemas: []rules.Schema{schemaOf("one", "a", 10), schemaOf("two", "a", 20)}})
	f.admit("one").Finish()
	f.admit("two").Finish()
	require.Len(t, f.engine.Report().Series, 2)
	f.apply(engine.Configuration{Levels: levels, Schemas: []rules.Schema{schemaOf("one", "a", 30), schemaOf("two", "a", 20)}})
	f.clock.Advance(time.Second)
	series := f.engine.Report().Series
	require.Len(t, series, 2, "it has changed and stayed on its level")
	assert.EqualValues(t, 1, series[0].Dispatched)
	f.apply(engine.Configuration{Levels: levels, Schemas: []rules.Schema{schemaOf("one", "b", 30)}})
	assert.Empty(t, f.engine.Report().Series, "one has moved, the other is gone")
	assert.Equal(t, 2, f.engine.RetiredSeries())
}

// The race detector compares the reads of requests with the writes of Apply.
func TestRequestsAreClassifiedWhileAConfigurationIsApplied(t *testing.T) {
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
		f.apply(engine.Configuration{Levels: levels, Schemas: []rules.Schema{schemaOf("steady", "a", 500), schemaOf(fmt.Sprint("user", i%50), "a", int32(1+i))}})
	}
	close(done)
	readers.Wait()
}
