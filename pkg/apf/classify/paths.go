package classify

import (
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// paths is the tree of all URLs of the schemas. Its root, number 0, is the wildcard.
type paths struct {
	exact, prefix names
	next          uint32
	// parents holds, for each number, its longest proper prefix.
	parents []uint32
	// prefixSlashes is the largest number of slashes in a key of prefix.
	prefixSlashes int
}

func newPaths() paths {
	return paths{exact: names{}, prefix: names{}, next: wildcard + 1}
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
		into = append(into, p.exact.intern(url, &p.next), p.prefix.intern(below, &p.next))
	}
	return into
}

// setParents sets the parents, once all URLs are known.
func (p *paths) setParents() {
	p.parents = make([]uint32, p.next)
	for path, number := range p.exact {
		p.parents[number] = p.longestPrefix(path)
	}
	for path, number := range p.prefix {
		p.parents[number] = p.longestPrefix(strings.TrimSuffix(path, "/"))
	}
}

// find returns the deepest node that covers the path.
func (p *paths) find(path string) uint32 {
	if number, known := p.exact[path]; known {
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
			if number, known := p.prefix[path[:i+1]]; known {
				longest = number
			}
		}
	}
	return longest
}
