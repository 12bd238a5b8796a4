package configversion

import (
	"fmt"
	"regexp"
	"strings"
)

// newerFields are fields that a release of Kubernetes added after 1.33, by the end of their
// paths without indexes.
func newerFields() map[string]string {
	return map[string]string{
		"issuer.egressSelectorType": "1.34",
		"tlsConfig.tlsServerName":   "1.36",
		"staticManifestsDir":        "1.36",
	}
}

var (
	unknownField = regexp.MustCompile(`unknown field "([^"]+)"`)
	index        = regexp.MustCompile(`\[\d+\]`)
)

// Explain adds to an error of strict decoding which unknown fields are of a later release of
// Kubernetes, in the same line, and returns other errors as they are.
func Explain(err error) error {
	if err == nil {
		return nil
	}
	explained := err
	for _, found := range unknownField.FindAllStringSubmatch(err.Error(), -1) {
		path := index.ReplaceAllString(found[1], "")
		for field, release := range newerFields() {
			if path == field || strings.HasSuffix(path, "."+field) {
				explained = fmt.Errorf("%w; %w", explained, Newer(found[1], release))
			}
		}
	}
	return explained
}

// Newer returns the error for a field that a later release of Kubernetes added.
func Newer(path, release string) error {
	return fmt.Errorf("%s is of Kubernetes %s and later, and has no effect on this server: remove it", path, release)
}
