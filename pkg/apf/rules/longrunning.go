package rules

import (
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// profiles is the prefix of paths of profiles, which every server on k8s.io/apiserver takes for
// long-running.
const profiles = "/debug/pprof/"

// IsLongRunning reports whether kube-apiserver takes a request for long-running, so that flow control
// does not govern it. A watch is long-running too, but flow control governs its beginning.
func IsLongRunning(a *flow.Attributes) bool {
	return a.Verb == "proxy" || a.IsResourceRequest && IsLongRunningSubresource(a.Subresource) || IsProfile(a)
}

// IsProfile reports whether a request is for a profile.
func IsProfile(a *flow.Attributes) bool {
	return !a.IsResourceRequest && strings.HasPrefix(a.Path, profiles)
}

// IsLongRunningSubresource reports whether kube-apiserver takes the requests for a subresource for
// long-running.
func IsLongRunningSubresource(name string) bool {
	return slices.Contains([]string{"attach", "exec", "log", "portforward", "proxy"}, name)
}

// IsURLOfProfiles reports whether a URL of a rule covers paths of profiles alone.
func IsURLOfProfiles(url string) bool {
	return url != All && url != strings.TrimSuffix(profiles, "/") && strings.HasPrefix(Below(url), profiles)
}
