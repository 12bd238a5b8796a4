package rules

import "strings"

// Below returns the prefix of the paths below a URL of a rule. The URL covers all of them. It must
// not be All.
func Below(url string) string {
	prefix := strings.TrimSuffix(url, "*")
	if !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	return prefix
}

// CoversPath reports whether a URL of a rule covers a path: it is the path, or the path is below
// it. The path may be another URL: then all its paths are covered.
func CoversPath(url, path string) bool {
	return url == All || url == path || strings.HasPrefix(path, Below(url))
}

// URLsIntersect reports whether some path is covered by both URLs.
func URLsIntersect(a, b string) bool {
	return a == All || b == All || a == b ||
		strings.HasPrefix(Below(a), Below(b)) || strings.HasPrefix(Below(b), Below(a))
}
