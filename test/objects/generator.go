package objects

import (
	"math/rand/v2"
	"slices"
)

// Generator makes objects in v1. Each choice is a good one, or with the
// probability Wildness one that is probably not.
type Generator struct {
	*rand.Rand
	Wildness float64
}

// New returns the generator number stream of a seed.
func New(seed, stream uint64, wildness float64) *Generator {
	return &Generator{Rand: rand.New(rand.NewPCG(seed, stream)), Wildness: wildness}
}

// Chance is true with the given probability.
func (g *Generator) Chance(probability float64) bool { return g.Float64() < probability }

// Wild tells whether the next choice is to be a bad one.
func (g *Generator) Wild() bool { return g.Chance(g.Wildness) }

// pick takes a member of good, or a wild one of bad.
func pick[T any](g *Generator, good, bad []T) T {
	if g.Wild() {
		return bad[g.IntN(len(bad))]
	}
	return good[g.IntN(len(good))]
}

// several makes low to high things, or when wild none, or one thing twice.
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

// number is between low and high, both often, or when wild beyond.
func (g *Generator) number(low, high int32) int32 {
	within := low + g.Int32N(high-low+1)
	return pick(g, []int32{low, high, within, within}, []int32{low - 1, high + 1, 0, 1, -1, -1 << 31, 1<<31 - 1, int32(g.Uint32())})
}

// list is what a rule lists: a wildcard or members of good.
func (g *Generator) list(good, bad []string) []string {
	if g.Chance(0.2) && !g.Wild() {
		return []string{"*"}
	}
	return several(g, 1, 3, func() string { return pick(g, good, append(bad, "*", "")) })
}

// conditions are of different types, unless wild.
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
