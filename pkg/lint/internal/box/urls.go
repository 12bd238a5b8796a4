package box

import (
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// urls are the URLs of a non-resource rule, to be searched.
type urls struct {
	exact values
	all   bool
	// below are the prefixes of the covered paths (rules.Below), sorted. A prefix that begins with
	// another one is left out, so a prefix of a path is the last one that is not after it.
	below []string
}

func newURLs(list []string) urls {
	u := urls{exact: newValues(list), all: slices.Contains(list, rules.All)}
	below := make([]string, len(list))
	for i, url := range list {
		below[i] = rules.Below(url)
	}
	slices.Sort(below)
	for _, prefix := range below {
		if last := len(u.below) - 1; last < 0 || !strings.HasPrefix(prefix, u.below[last]) {
			u.below = append(u.below, prefix)
		}
	}
	return u
}

func (u *urls) elements() []string { return u.exact.list }

// hasPrefixOf reports whether a path is below one of the URLs.
func (u *urls) hasPrefixOf(path string) bool {
	at, found := slices.BinarySearch(u.below, path)
	return found || at > 0 && strings.HasPrefix(path, u.below[at-1])
}

// covers reports whether rules.CoversPath holds for one of the URLs.
func (u *urls) covers(path string) bool {
	return u.all || u.exact.has(path) || u.hasPrefixOf(path)
}

// meets reports whether rules.URLsIntersect holds for one of the URLs.
func (u *urls) meets(url string) bool {
	if u.all || url == rules.All && len(u.exact.list) > 0 || u.exact.has(url) {
		return true
	}
	prefix := rules.Below(url)
	at, found := slices.BinarySearch(u.below, prefix)
	return found || at > 0 && strings.HasPrefix(prefix, u.below[at-1]) || at < len(u.below) && strings.HasPrefix(u.below[at], prefix)
}

func (u *urls) intersects(other list) bool {
	o := other.(*urls)
	if len(u.exact.list) > len(o.exact.list) {
		u, o = o, u
	}
	return slices.ContainsFunc(u.exact.list, o.meets)
}

// meet returns the narrower URL of each two that intersect.
func (u *urls) meet(other list) []string {
	o := other.(*urls)
	met := slices.DeleteFunc(slices.Clone(o.exact.list), func(url string) bool { return !u.covers(url) })
	for _, url := range u.exact.list {
		if o.covers(url) {
			met = append(met, url)
		}
	}
	return met
}
