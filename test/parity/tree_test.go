package parity

import (
	"encoding/json"
	"maps"
	"slices"
)

// A tree is an object as JSON has it: maps, slices and scalars.

// mutate changes about rate of the nodes below tree to something else: nothing
// at all, another scalar, or another kind of node.
func mutate(g *generator, tree any, rate float64) any {
	if g.chance(rate) {
		scalars := []any{nil, "", "*", "exempt", "ä", true, -1, 0, 1, 1 << 31, 1e300, 1.5, []any{}, map[string]any{}}
		return scalars[g.IntN(len(scalars))]
	}
	switch node := tree.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(node)) {
			if g.chance(rate) {
				delete(node, key)
				continue
			}
			node[key] = mutate(g, node[key], rate)
		}
	case []any:
		for i := range node {
			node[i] = mutate(g, node[i], rate)
		}
	}
	return tree
}

// reduce returns the smallest JSON that it finds below data by taking members
// away, for which fails still holds.
func reduce(data []byte, fails func([]byte) bool) []byte {
	for {
		var tree any
		if err := json.Unmarshal(data, &tree); err != nil {
			return data
		}
		smaller := slices.IndexFunc(withoutOne(tree), func(candidate any) bool { return fails(encode(candidate)) })
		if smaller < 0 {
			return data
		}
		data = encode(withoutOne(tree)[smaller])
	}
}

// withoutOne returns every tree that lacks one node of the given one, those
// that lack most first.
func withoutOne(tree any) []any {
	var without []any
	switch node := tree.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(node))
		for _, key := range keys {
			rest := maps.Clone(node)
			delete(rest, key)
			without = append(without, rest)
		}
		for _, key := range keys {
			for _, smaller := range withoutOne(node[key]) {
				rest := maps.Clone(node)
				rest[key] = smaller
				without = append(without, rest)
			}
		}
	case []any:
		for i := range node {
			without = append(without, slices.Delete(slices.Clone(node), i, i+1))
		}
		for i := range node {
			for _, smaller := range withoutOne(node[i]) {
				rest := slices.Clone(node)
				rest[i] = smaller
				without = append(without, rest)
			}
		}
	}
	return without
}

func encode(tree any) []byte {
	data, err := json.Marshal(tree)
	if err != nil {
		panic(err)
	}
	return data
}
