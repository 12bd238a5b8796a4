// Package longrunning says which requests kube-apiserver takes for long-running, so that flow control does
// not govern them.
package longrunning

import (
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// profiles is the prefix of paths of profiles, which every server on k8s.io/apiserver takes for
// long-running.
const profiles = "/debug/pprof/"

// Is reports whether a request is long-running. A watch is too, but flow control governs its beginning, so
// it does not count here.
func Is(a *flow.Attributes) bool {
	return a.Verb == "proxy" || a.IsResourceRequest && IsSubresource(a.Subresource) || IsProfile(a)
}

// IsProfile reports whether a request is for a profile.
func IsProfile(a *flow.Attributes) bool {
	return !a.IsResourceRequest && strings.HasPrefix(a.Path, profiles)
}

// IsSubresource reports whether the requests for a subresource are long-running.
func IsSubresource(name string) bool {
	return slices.Contains([]string{"attach", "exec", "log", "portforward", "proxy"}, name)
}

// IsURLOfProfiles reports whether a URL of a rule covers paths of profiles alone.
func IsURLOfProfiles(url string) bool {
	return url != rules.All && url != strings.TrimSuffix(profiles, "/") && strings.HasPrefix(rules.Below(url), profiles)
}
