package objects

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// A tree is the JSON form of an object: maps, slices and scalars.

// Mutate replaces about rate of the nodes below tree by another scalar, another
// kind of node, or nothing. It adds unknown members at the same rate. It may
// change the tree itself.
func Mutate(g *Generator, tree any, rate float64) any {
	if g.Chance(rate) {
		return g.otherNode()
	}
	switch node := tree.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(node)) {
			if g.Chance(rate) {
				delete(node, key)
				continue
			}
			node[key] = Mutate(g, node[key], rate)
		}
		if g.Chance(rate) {
			node["unheard"] = g.otherNode()
		}
	case []any:
		for i := range node {
			node[i] = Mutate(g, node[i], rate)
		}
	}
	return tree
}

// otherNode returns a node of any type; numbers have any size.
func (g *Generator) otherNode() any {
	nodes := []any{
		nil, "", "*", "exempt", "ä", true, -1, 0, 1, 1 << 31, 1e300, 1.5, []any{}, map[string]any{},
		json.Number("1e400"), json.Number("9223372036854775808"), json.Number("1.0"), json.Number("1" + strings.Repeat("0", 400)),
	}
	return nodes[g.IntN(len(nodes))]
}

// Tree returns the JSON form of object.
func Tree(object any) map[string]any {
	tree, ok := Decode(Encode(object)).(map[string]any)
	if !ok {
		panic("an object must be a map")
	}
	return tree
}

// Reduce removes members from data while fails holds, and returns the smallest
// result.
func Reduce(data []byte, fails func([]byte) bool) []byte {
	for {
		smaller := withoutOne(Decode(data))
		found := slices.IndexFunc(smaller, func(candidate any) bool { return fails(Encode(candidate)) })
		if found < 0 {
			return data
		}
		data = Encode(smaller[found])
	}
}

// withoutOne returns every tree that lacks one node of the given one, the
// largest removals first.
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

// Encode returns a tree, or any other value, as JSON.
func Encode(tree any) []byte {
	data, err := json.Marshal(tree)
	if err != nil {
		panic(err)
	}
	return data
}

// Decode reads JSON; numbers keep their digits. It returns nil for invalid
// JSON.
func Decode(data []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil
	}
	return tree
}
