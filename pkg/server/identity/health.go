package identity

import "strings"

// isHealthPath tells whether a path is one of the health endpoints or one of
// their checks.
func isHealthPath(path string) bool {
	for _, endpoint := range []string{"/livez", "/readyz", "/healthz"} {
		if path == endpoint || strings.HasPrefix(path, endpoint+"/") {
			return true
		}
	}
	return false
}
