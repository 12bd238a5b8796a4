package objects

import (
	"math/rand/v2"
	"slices"
)

// Generator generates objects in v1. Each choice is probably invalid with the
// probability Wildness, and otherwise valid.
type Generator struct {
	*rand.Rand
	Wildness float64
}

// New returns the generator of a stream of a seed's random numbers.
func New(seed, stream uint64, wildness float64) *Generator {
	return &Generator{Rand: rand.New(rand.NewPCG(seed, stream)), Wildness: wildness}
}

// Chance returns true with the given probability.
func (g *Generator) Chance(probability float64) bool { return g.Float64() < probability }

// Wild reports whether the next choice is to be a bad one.
func (g *Generator) Wild() bool { return g.Chance(g.Wildness) }

// pick returns a member of good, or of bad if the choice is wild.
func pick[T any](g *Generator, good, bad []T) T {
	if g.Wild() {
		return bad[g.IntN(len(bad))]
	}
	return good[g.IntN(len(good))]
}

// several returns low to high values. If the choice is wild, it returns none,
// or one twice.
func several[T any](g *Generator, low, high int, one func() T) []T {
	count := low + g.IntN(high-low+1)
	if g.Wild() {
		count = g.IntN(4)
	}
	var things []T
	for range count {
		things = append(things, one())
	}
	if len(things) > 0 && g.Wild() {
		things = append(things, things[g.IntN(len(things))])
	}
	return things
}

// number returns a number from low to high, often one of the bounds. If the
// choice is wild, it is often outside.
func (g *Generator) number(low, high int32) int32 {
	within := low + g.Int32N(high-low+1)
	return pick(g, []int32{low, high, within, within}, []int32{low - 1, high + 1, 0, 1, -1, -1 << 31, 1<<31 - 1, int32(g.Uint32())})
}

// list returns a list of a rule: a wildcard or members of good.
func (g *Generator) list(good, bad []string) []string {
	if g.Chance(0.2) && !g.Wild() {
		return []string{"*"}
	}
	return several(g, 1, 3, func() string { return pick(g, good, append(bad, "*", "")) })
}

// conditions returns conditions of different types, unless wild.
func conditions[T any](g *Generator, one func(string) T) []T {
	var made []T
	types := []string{"Dangling", "Ready", "Other"}
	for _, conditionType := range types[:g.IntN(len(types)+1)] {
		made = append(made, one(conditionType))
	}
	if g.Wild() {
		made = append(made, one(pick(g, types, []string{""})))
	}
	if len(made) > 1 && g.Wild() {
		made = slices.Insert(made, g.IntN(len(made)), one(""))
	}
	return made
}
