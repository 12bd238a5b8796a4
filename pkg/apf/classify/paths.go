package classify

import (
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// paths is the tree of all URLs of the schemas. Its root, number 0, is the wildcard.
type paths struct {
	exact, prefix names
	// parents holds, for each number, its longest proper prefix.
	parents []uint32
	// prefixSlashes is the largest number of slashes in a key of prefix.
	prefixSlashes int
	// fresh are the prefixes that were added to this version.
	fresh []string
}

func newPaths() paths {
	return paths{exact: newNames(), prefix: newNames(), parents: []uint32{wildcard}}
}

// appendNumbers appends the numbers of URLs to into. Each URL has two: the path
// itself and the prefix of everything below it.
func (p *paths) appendNumbers(urls []string, into []uint32) []uint32 {
	for _, url := range urls {
		if url == rules.All {
			into = append(into, wildcard)
			continue
		}
		below := rules.Below(url)
		p.prefixSlashes = max(p.prefixSlashes, strings.Count(below, "/"))
		if _, known := p.prefix.find(below); !known {
			p.fresh = append(p.fresh, below)
		}
		into = append(into, p.intern(&p.exact, url, url), p.intern(&p.prefix, below, below[:len(below)-1]))
	}
	return into
}

// intern returns the number of a path, whose parent is the longest prefix of inner.
func (p *paths) intern(kind *names, path, inner string) uint32 {
	number, known := kind.find(path)
	if !known {
		number = uint32(len(p.parents))
		p.parents = append(p.parents, p.longestPrefix(inner))
		kind.add(path, number)
	}
	return number
}

// setParents sets the parents, once all URLs are known. Only the parents of paths below a new
// prefix change.
func (p *paths) setParents() {
	if len(p.fresh) == 0 {
		return
	}
	p.parents = slices.Clone(p.parents)
	p.exact.all(func(path string, number uint32) { p.setParent(path, number) })
	p.prefix.all(func(path string, number uint32) { p.setParent(strings.TrimSuffix(path, "/"), number) })
	p.fresh = nil
}

func (p *paths) setParent(path string, number uint32) {
	if p.exact.building || slices.ContainsFunc(p.fresh, func(fresh string) bool { return strings.HasPrefix(path, fresh) }) {
		p.parents[number] = p.longestPrefix(path)
	}
}

// find returns the deepest node that covers the path.
func (p *paths) find(path string) uint32 {
	if number, known := p.exact.find(path); known {
		return number
	}
	return p.longestPrefix(path)
}

func (p *paths) longestPrefix(path string) uint32 {
	longest := wildcard
	slashes := 0
	for i := 0; i < len(path) && slashes < p.prefixSlashes; i++ {
		if path[i] == '/' {
			slashes++
			if number, known := p.prefix.find(path[:i+1]); known {
				longest = number
			}
		}
	}
	return longest
}
