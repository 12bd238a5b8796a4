package main

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// choice picks mutants by a seed. No package has a second one before every
// package has had one, and all kinds of faults are equally likely.
type choice struct {
	random  *rand.Rand
	mutants map[*listed][]*mutant
	waiting []*listed // packages that have not had a turn yet
}

func newChoice(seed uint64, mutants map[*listed][]*mutant) *choice {
	return &choice{random: rand.New(rand.NewPCG(seed, 0)), mutants: mutants}
}

// next returns a mutant of the current package and does not return it again. It
// returns false if none are left. The turn of the package ends with keep.
func (c *choice) next() (*mutant, bool) {
	for {
		if len(c.waiting) == 0 {
			for p, mutants := range c.mutants {
				if len(mutants) > 0 {
					c.waiting = append(c.waiting, p)
				}
			}
			if len(c.waiting) == 0 {
				return nil, false
			}
			slices.SortFunc(c.waiting, func(a, b *listed) int { return strings.Compare(a.ImportPath, b.ImportPath) })
			c.random.Shuffle(len(c.waiting), func(i, j int) { c.waiting[i], c.waiting[j] = c.waiting[j], c.waiting[i] })
		}
		if m := c.pick(c.waiting[0]); m != nil {
			return m, true
		}
		c.waiting = c.waiting[1:]
	}
}

// keep ends the turn of the mutant's package.
func (c *choice) keep(*mutant) { c.waiting = c.waiting[1:] }

func (c *choice) pick(p *listed) *mutant {
	left := c.mutants[p]
	if len(left) == 0 {
		return nil
	}
	var kinds []string
	for _, m := range left {
		if !slices.Contains(kinds, m.kind) {
			kinds = append(kinds, m.kind)
		}
	}
	slices.Sort(kinds)
	kind := kinds[c.random.IntN(len(kinds))]
	for _, i := range c.random.Perm(len(left)) {
		if left[i].kind == kind {
			m := left[i]
			c.mutants[p] = slices.Delete(left, i, i+1)
			return m
		}
	}
	return nil
}
