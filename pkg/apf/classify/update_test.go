package classify

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// changing is a set of schemas that changes at random.
type changing struct {
	random  *rand.Rand
	schemas map[string]rules.Schema
	names   int // how many schemas have names
}

func newChanging(random *rand.Rand, names int) *changing {
	c := &changing{random: random, schemas: map[string]rules.Schema{}, names: names}
	for range names / 2 {
		s := c.some()
		c.schemas[s.Name] = s
	}
	return c
}

// some returns a schema of a random name, which may exist. Some have values that are new
// and some have more verbs than there is room for.
func (c *changing) some() rules.Schema {
	s := randomSchemas(c.random, 1)[0]
	s.Name = fmt.Sprint("s", c.random.IntN(c.names))
	if c.random.IntN(20) == 0 {
		s.Name = []string{rules.Exempt, rules.CatchAll}[c.random.IntN(2)]
	}
	if c.random.IntN(4) == 0 {
		fresh := fmt.Sprint("fresh", c.random.IntN(1000))
		s.Rules = append(s.Rules, rules.Rule{
			Subjects:         []rules.Subject{{Kind: rules.User, Name: fresh}, {Kind: rules.Group, Name: rules.All}},
			ResourceRules:    []rules.ResourceRule{{Verbs: []string{fresh}, APIGroups: all, Resources: []string{fresh}, ClusterScope: true}},
			NonResourceRules: []rules.NonResourceRule{{Verbs: all, URLs: []string{"/" + fresh, "/healthz/" + fresh + "/*"}}},
		})
	}
	return s
}

// change returns a random change of one to three schemas.
func (c *changing) change() (set []rules.Schema, removed []string) {
	done := map[string]bool{}
	for range 1 + c.random.IntN(3) {
		s := c.some()
		if done[s.Name] {
			continue
		}
		done[s.Name] = true
		if _, exists := c.schemas[s.Name]; exists && c.random.IntN(2) == 0 {
			removed = append(removed, s.Name)
			delete(c.schemas, s.Name)
			continue
		}
		set = append(set, s)
		c.schemas[s.Name] = s
	}
	return set, removed
}

func (c *changing) list() (list []rules.Schema) {
	for _, s := range c.schemas {
		list = append(list, s)
	}
	return list
}

// request returns a random request, which some schema with fresh values may match.
func (c *changing) request() *flow.Attributes {
	a := randomRequest(c.random)
	if c.random.IntN(4) == 0 {
		fresh := fmt.Sprint("fresh", c.random.IntN(1000))
		for _, field := range []*string{&a.User, &a.Verb, &a.Resource} {
			if c.random.IntN(2) == 0 {
				*field = fresh
			}
		}
		a.Path = []string{"/" + fresh + "/a", "/healthz/" + fresh + "/b"}[c.random.IntN(2)]
	}
	return a
}

// chosen returns the name of the schema that a request matches.
func chosen(c *Classifier, a *flow.Attributes) string {
	if i := c.Match(a); i >= 0 {
		return c.Schemas()[i].Name
	}
	return "none"
}

func TestAnUpdatedIndexMatchesAsOneMadeFromNothing(t *testing.T) {
	for name, limit := range budgets {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(lane.Seed(t), 77))
			incremental := 0
			for range lane.Pick(10, 100) {
				c := newChanging(random, 5+random.IntN(100))
				updated := newClassifier(c.list(), limit)
				for range 60 {
					former := updated
					updated = former.Update(c.change())
					if updated.builder == former.builder {
						incremental++
					}
					fresh := newClassifier(c.list(), limit)
					require.Equal(t, fresh.Schemas(), updated.Schemas())
					for range 40 {
						a := c.request()
						require.Equal(t, chosen(fresh, a), chosen(updated, a), "%+v", *a)
						require.Equal(t, scan(updated.Schemas(), a), updated.Match(a), "%+v", *a)
					}
				}
			}
			assert.Greater(t, incremental, lane.Pick(300, 3000), "most changes are made without building all")
		})
	}
}

func TestASubjectWithManyRowsIsUpdatedAsOneMadeFromNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 80))
	c := &changing{random: random, schemas: map[string]rules.Schema{}, names: 20}
	everything := rules.ResourceRule{Verbs: all, APIGroups: all, Resources: all, ClusterScope: true, Namespaces: all}
	one := func(i int) rules.Schema {
		rule := rules.ResourceRule{Verbs: words("verb", 1, i%5), APIGroups: all, Resources: words("resource", 1, i%50), Namespaces: words("ns", 1, i%20)}
		return rules.Schema{Name: fmt.Sprint("many", i), Precedence: int32(i % 7), Rules: []rules.Rule{on(rules.Subject{Kind: rules.Group, Name: "g"}, rule)}}
	}
	for i := range exactRows + 200 {
		s := one(i)
		c.schemas[s.Name] = s
	}
	updated := New(c.list())
	for i := range 60 {
		s := one(random.IntN(200))
		var removed []string
		switch random.IntN(4) {
		case 0:
			s.Rules[0].ResourceRules[0] = everything
		case 1:
			s.Rules[0].ResourceRules[0].Resources = all
		case 2:
			removed = append(removed, s.Name)
		}
		former := updated
		if removed == nil {
			c.schemas[s.Name] = s
			updated = former.Update([]rules.Schema{s}, nil)
		} else {
			delete(c.schemas, s.Name)
			updated = former.Update(nil, removed)
		}
		require.Same(t, former.builder, updated.builder)
		for subject, counts := range updated.builder.resources.counts {
			require.Equal(t, countValues(updated.builder.resources.subjects[subject]), counts)
		}
		for j := range 200 {
			a := &flow.Attributes{
				Groups: []string{"g"}, Verb: fmt.Sprint("verb-", j%6), IsResourceRequest: true,
				Resource: fmt.Sprint("resource-", (i+j)%50), Namespace: fmt.Sprint("ns-", random.IntN(20)),
			}
			require.Equal(t, scan(updated.Schemas(), a), updated.Match(a), "%+v", *a)
		}
	}
	require.Len(t, updated.builder.resources.counts, 1)
}

// The first row of a set is gone, and its schema comes last now: the rank of that schema says
// nothing about the other rows.
func TestARowAfterOneThatIsGoneComesFirst(t *testing.T) {
	long := rules.ResourceRule{Verbs: all, APIGroups: all, Resources: words("resource", 3, 0), Namespaces: words("ns", 3, 0)}
	short := rules.ResourceRule{Verbs: all, APIGroups: all, Resources: words("resource", 1, 0), Namespaces: words("ns", 1, 0)}
	schema := func(name string, precedence int32, rule rules.ResourceRule) rules.Schema {
		return rules.Schema{Name: name, Precedence: precedence, Rules: []rules.Rule{on(rules.Subject{Kind: rules.Group, Name: "g"}, rule)}}
	}
	schemas := []rules.Schema{schema("first", 1, long), schema("second", 2, long), schema("third", 3, short), schema("fourth", 4, long), schema("fifth", 5, long)}
	c := newClassifier(schemas, budget{1, 0})
	require.Len(t, c.builder.resources.large.rows, 4)
	c = c.Update([]rules.Schema{schema("first", 9, long)}, nil)
	require.Len(t, c.resources.bitmaps.recent, 1)
	assert.Equal(t, "second", chosen(c, &flow.Attributes{Groups: []string{"g"}, Verb: "get", IsResourceRequest: true, Resource: "resource-0", Namespace: "ns-0"}))
}

// Sets of rows are shared by versions until enough rows have changed.
func TestRowsInBitmapsAreUpdatedAsThoseMadeFromNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 81))
	one := func(i int) rules.Schema {
		rule := rules.ResourceRule{
			Verbs: words("verb", 2, random.IntN(5)), APIGroups: words("group", 2, random.IntN(3)), ClusterScope: random.IntN(2) == 0,
			Resources: words("resource", 3, random.IntN(9)), Namespaces: words("ns", 3, random.IntN(9)),
		}
		s := rules.Schema{Name: fmt.Sprint("many", i), Precedence: random.Int32N(50), Rules: []rules.Rule{on(rules.Subject{Kind: rules.Group, Name: fmt.Sprint("g", i%3)}, rule)}}
		if random.IntN(5) == 0 {
			s.Rules[0].ResourceRules[0].Resources, s.Rules[0].ResourceRules[0].Verbs = all, all
		}
		return s
	}
	present := map[string]rules.Schema{}
	for i := range 300 {
		s := one(i)
		present[s.Name] = s
	}
	list := func() []rules.Schema { return slices.Collect(maps.Values(present)) }
	updated := newClassifier(list(), budget{1, 0})
	shared, rebuilt := 0, 0
	for range 4 * maxRecent {
		former := updated
		s := one(random.IntN(300))
		if _, known := present[s.Name]; known && random.IntN(3) == 0 {
			delete(present, s.Name)
			updated = former.Update(nil, []string{s.Name})
		} else {
			present[s.Name] = s
			updated = former.Update([]rules.Schema{s}, nil)
		}
		require.Same(t, former.builder, updated.builder)
		if former.resources.bitmaps.base == updated.resources.bitmaps.base {
			shared++
		} else {
			rebuilt++
		}
		fresh := newClassifier(list(), budget{1, 0})
		for range 20 {
			a := &flow.Attributes{
				Groups: []string{fmt.Sprint("g", random.IntN(4))}, Verb: fmt.Sprint("verb-", random.IntN(7)), APIGroup: fmt.Sprint("group-", random.IntN(4)),
				IsResourceRequest: true, Resource: fmt.Sprint("resource-", random.IntN(12)), Namespace: []string{"", fmt.Sprint("ns-", random.IntN(12))}[random.IntN(2)],
			}
			require.Equal(t, chosen(fresh, a), chosen(updated, a), "%+v", *a)
			require.Equal(t, scan(updated.Schemas(), a), updated.Match(a), "%+v", *a)
		}
	}
	assert.Greater(t, shared, 20*rebuilt)
	assert.Positive(t, rebuilt)
}

func TestAnOlderVersionMatchesAsBefore(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 78))
	c := newChanging(random, 60)
	version := New(c.list())
	var requests []*flow.Attributes
	for range 200 {
		requests = append(requests, c.request())
	}
	type past struct {
		version *Classifier
		want    []int
	}
	var all []past
	for range 50 {
		one := past{version: version}
		for _, a := range requests {
			one.want = append(one.want, version.Match(a))
		}
		all = append(all, one)
		version = version.Update(c.change())
	}
	for _, one := range all {
		for i, a := range requests {
			require.Equal(t, one.want[i], one.version.Match(a))
		}
	}
	later := all[3].version.Update([]rules.Schema{{Name: "late"}}, nil)
	assert.Len(t, later.Schemas(), len(all[3].version.Schemas())+1, "an older version can be updated too")
}

// Run with the race detector.
func TestRequestsMatchWhileTheIndexIsUpdated(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 79))
	c := newChanging(random, 60)
	version := New(c.list())
	for range 30 {
		var readers sync.WaitGroup
		var requests []*flow.Attributes
		for range 50 {
			requests = append(requests, c.request())
		}
		old := version
		readers.Go(func() {
			for _, a := range requests {
				old.Match(a)
			}
		})
		set, removed := c.change()
		version = version.Update(set, removed)
		readers.Wait()
	}
}

// BenchmarkUpdate compares a change of one schema among 10,000 with an index made from
// nothing.
func BenchmarkUpdate(b *testing.B) {
	for _, shape := range manyShapes {
		b.Run(shape.name, func(b *testing.B) {
			schemas := with(10000, shape.rule)
			c := New(schemas)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				s := schemas[len(schemas)-1-i%5000]
				s.Precedence++
				c = c.Update([]rules.Schema{s}, nil)
				i++
			}
		})
	}
}
