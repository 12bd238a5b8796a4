package box

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/internal/budget"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/userset"
)

func unlimited() *budget.Budget { return budget.New(math.MaxInt, nil) }

func always(int) bool { return true }

// someUsers are sets of each kind, and pairs where one set covers or intersects the other.
func someUsers() []userset.Set {
	return []userset.Set{
		{Kind: userset.Authenticated}, {Kind: userset.Unauthenticated}, {Kind: userset.ServiceAccounts},
		{Kind: userset.ServiceAccountsOfNamespace, Namespace: "a"}, {Kind: userset.ServiceAccountsOfNamespace, Namespace: "b"},
		{Kind: userset.OneServiceAccount, Namespace: "a", Name: "x"}, {Kind: userset.OneServiceAccount, Namespace: "c", Name: "x"},
		{Kind: userset.Nodes}, {Kind: userset.OneGroup, Name: "devs"}, {Kind: userset.OneGroup, Name: "ops"},
		{Kind: userset.OneUser, Name: "alice"}, {Kind: userset.OneUser, Name: "system:node:a"},
	}
}

// manyUsers are more than fewValues, all of them single users that someUsers does not have.
func manyUsers() []userset.Set {
	many := make([]userset.Set, 2*fewValues)
	for i := range many {
		many[i] = userset.Set{Kind: userset.OneUser, Name: fmt.Sprint("u", i)}
	}
	return many
}

// TestUsersAreComparedAsPairsOfTheirSets compares unions of two sets, alone and among many others, with
// package rules.
func TestUsersAreComparedAsPairsOfTheirSets(t *testing.T) {
	for _, first := range someUsers() {
		for _, second := range someUsers() {
			for _, more := range [][]userset.Set{nil, manyUsers()} {
				sets := append([]userset.Set{first, second}, more...)
				users := NewUsers(sets)
				for _, other := range append(someUsers(), userset.Set{Kind: userset.OneUser, Name: "u3"}) {
					is := func(relation func(a, b userset.Set) bool) bool {
						return slices.ContainsFunc(sets, func(set userset.Set) bool { return relation(set, other) })
					}
					where := fmt.Sprintf("%v and %v", sets, other)
					require.Equal(t, is(userset.Set.Covers), users.covers(other), where)
					require.Equal(t, is(userset.Set.Intersects), users.intersects(NewUsers([]userset.Set{other}), false), where)
					require.Equal(t, is(userset.Set.SurelyIntersects), users.intersects(NewUsers([]userset.Set{other}), true), where)
					require.Equal(t, is(userset.Set.SurelyIntersects), NewUsers([]userset.Set{other}).intersects(users, true), where)
				}
			}
		}
	}
}

// TestURLsAreComparedAsPairs compares lists of URLs with package rules.
func TestURLsAreComparedAsPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 1))
	some := []string{"*", "/", "/*", "/a", "/a/", "/a/*", "/a/b", "/ab", "/ab/*", "/a/b/c", "/b"}
	list := func(n int) (urls []string) {
		for range n {
			urls = append(urls, some[random.IntN(len(some))])
		}
		return urls
	}
	seen := map[bool]int{}
	for range 3000 {
		a, b := list(random.IntN(4)), list(1+random.IntN(14))
		first, second := newURLs(a), newURLs(b)
		var covered []string
		intersects := false
		for _, url := range a {
			if slices.ContainsFunc(b, func(other string) bool { return rules.CoversPath(other, url) }) {
				covered = append(covered, url)
			}
			require.Equal(t, slices.Contains(covered, url), second.covers(url), "%v and %s", b, url)
			intersects = intersects || slices.ContainsFunc(b, func(other string) bool { return rules.URLsIntersect(other, url) })
		}
		require.Equal(t, intersects, first.intersects(&second), "%v and %v", a, b)
		require.Equal(t, intersects, second.intersects(&first), "%v and %v", a, b)
		require.Equal(t, intersects, len(first.meet(&second)) > 0, "%v and %v", a, b)
		seen[intersects]++
	}
	assert.Greater(t, seen[true], 300)
	assert.Greater(t, seen[false], 300)
}

// randomRule returns a rule of few values, so that others often cover it.
func randomRule(random *rand.Rand) *flowcontrolv1.PolicyRulesWithSubjects {
	list := func(words ...string) []string {
		if random.IntN(3) == 0 {
			return []string{rules.All}
		}
		return words[:1+random.IntN(len(words))]
	}
	rule := flowcontrolv1.ResourcePolicyRule{
		Verbs: list("get", "list", "watch"), APIGroups: list("", "apps"), Resources: list("pods", "nodes"),
		ClusterScope: random.IntN(2) == 0, Namespaces: list("a", "b", "c"),
	}
	return &flowcontrolv1.PolicyRulesWithSubjects{
		ResourceRules:    []flowcontrolv1.ResourcePolicyRule{rule},
		NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: list("get", "put"), NonResourceURLs: list("/a/b", "/a", "/c")}},
	}
}

func randomBoxes(random *rand.Rand) []Box {
	some := someUsers()
	random.Shuffle(len(some), func(i, k int) { some[i], some[k] = some[k], some[i] })
	return OfRule(NewUsers(some[:1+random.IntN(4)]), randomRule(random))
}

// eachTuple calls yield with each tuple of the boxes, as a box.
func eachTuple(boxes []Box, yield func(Box)) {
	for _, box := range boxes {
		for _, set := range box.users.sets {
			part := Box{kind: box.kind, users: NewUsers([]userset.Set{set})}
			tuples := [][]string{nil}
			for _, one := range box.lists {
				var longer [][]string
				for _, tuple := range tuples {
					for _, element := range one.elements() {
						longer = append(longer, append(slices.Clone(tuple), element))
					}
				}
				tuples = longer
			}
			for _, tuple := range tuples {
				part.lists = nil
				for i, element := range tuple {
					one := list(&values{list: []string{element}, all: element == rules.All})
					if box.kind == ofURL && i == 0 {
						url := newURLs([]string{element})
						one = &url
					}
					part.lists = append(part.lists, one)
				}
				yield(part)
			}
		}
	}
}

// It is the list of a FlowSchema.
func TestASplitLeavesTheListAsItIs(t *testing.T) {
	elements, by := []string{"x", "b"}, newValues([]string{"b"})
	covered, rest := split(elements, &by)
	require.Equal(t, [][]string{{"b"}, {"x"}, {"x", "b"}}, [][]string{covered, rest, elements})
}

// TestCoverIsThatEachTupleIsCovered compares Cover with a search for each tuple.
func TestCoverIsThatEachTupleIsCovered(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 2))
	seen := map[bool]int{}
	for range lane.Pick(3000, 100_000) {
		var index Index
		owned := make([][]Box, 1+random.IntN(8))
		for owner := range owned {
			owned[owner] = randomBoxes(random)
			index.Add(owner, owned[owner])
		}
		mayCount := func(owner int) bool { return owner != 2 }
		given := randomBoxes(random)
		covered := true
		eachTuple(given, func(tuple Box) {
			isCovered := false
			for owner := range owned {
				for i := range owned[owner] {
					one := &owned[owner][i]
					isCovered = isCovered || mayCount(owner) && one.users.covers(tuple.users.sets[0]) && one.hasFirst(tuple.kind, firstOf(&tuple))
				}
			}
			covered = covered && isCovered
		})
		owners, ok := index.Cover(given, mayCount, unlimited())
		require.Equal(t, covered, ok)
		seen[ok]++
		if ok {
			var named Index
			for _, owner := range owners {
				require.True(t, mayCount(owner))
				named.Add(owner, owned[owner])
			}
			_, ok = named.Cover(given, always, unlimited())
			require.True(t, ok, "the named owners suffice")
		}
	}
	assert.Greater(t, seen[true], 100)
	assert.Greater(t, seen[false], 100)
}

func firstOf(box *Box) fragment {
	var part fragment
	for _, one := range box.lists {
		part = append(part, one.elements()[:1])
	}
	return part
}

// TestBoxesMeetAsTheirTuples compares Overlap and Meets with pairs of tuples.
func TestBoxesMeetAsTheirTuples(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 3))
	seen := map[bool]int{}
	for range lane.Pick(300, 3000) {
		a, b := randomBoxes(random), randomBoxes(random)
		overlaps, mayOverlap := false, false
		eachTuple(a, func(first Box) {
			eachTuple(b, func(second Box) {
				overlaps = overlaps || first.intersects(&second, true)
				mayOverlap = mayOverlap || first.intersects(&second, false)
			})
		})
		require.Equal(t, overlaps, Overlap(a, b, true, unlimited()))
		require.Equal(t, mayOverlap, Overlap(a, b, false, unlimited()))
		met := false
		var both [2]Index
		both[0].Add(0, a)
		both[1].Add(0, b)
		Meets(a, b, unlimited(), func(common Box) bool {
			met = true
			_, inA := both[0].Cover([]Box{common}, always, unlimited())
			_, inB := both[1].Cover([]Box{common}, always, unlimited())
			require.True(t, inA || inB, "what both have is in one of them, and in both unless nodes meet a user")
			return true
		})
		require.Equal(t, overlaps, met)
		seen[overlaps]++
	}
	assert.Greater(t, seen[true], 30)
	assert.Greater(t, seen[false], 30)
}

// TestCoverSpendsAStepForEachValue: it would be unbounded where it does not.
func TestCoverSpendsAStepForEachValue(t *testing.T) {
	const n = 1000
	verbs := make([]string, n)
	for i := range verbs {
		verbs[i] = fmt.Sprint("verb", i)
	}
	users := NewUsers(manyUsers())
	given := OfResources(users, &flowcontrolv1.ResourcePolicyRule{Verbs: verbs, APIGroups: []string{""}, Resources: []string{"pods"}, ClusterScope: true})
	var index Index
	index.Add(0, OfResources(users, &flowcontrolv1.ResourcePolicyRule{Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}, ClusterScope: true}))
	few := budget.New(n, nil)
	_, ok := index.Cover(given, always, few)
	require.False(t, ok)
	require.True(t, few.IsSpent())
	_, ok = index.Cover(given, always, budget.New(n+10*fewValues, nil))
	require.True(t, ok)
}
