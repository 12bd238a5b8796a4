// Package release tells tests the release of Kubernetes' libraries that they are compiled with. The
// tests of the engine pass with each of 1.33 to 1.37.
package release

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/component-base/version"
)

// Minor returns the minor version, such as 33.
func Minor() int {
	minor, err := strconv.Atoi(strings.TrimPrefix(version.DefaultKubeBinaryVersion, "1."))
	if err != nil {
		panic(fmt.Sprintf("DefaultKubeBinaryVersion of k8s.io/component-base is %q: must be 1.N", version.DefaultKubeBinaryVersion))
	}
	return minor
}
