package logs

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// Annotations of k8s.io/apiserver about the API version of a request.
const (
	deprecatedKey = "k8s.io/deprecated"
	removedKey    = "k8s.io/removed-release"
)

// maxNamed is the number of resources, agents and addresses that are named of a client.
const maxNamed = 3

// DeprecatedCalls collects who calls API versions that a release of Kubernetes removes. The zero
// DeprecatedCalls is empty.
type DeprecatedCalls struct {
	calls map[caller]*lint.DeprecatedCalls
}

type caller struct {
	object                  lint.Object
	group, version, removed string
}

// Observe counts a request. An API server that no longer serves a version does not annotate its requests:
// then only those for flow control are known.
func (d *DeprecatedCalls) Observe(r *Request) {
	removed := r.Removed
	if removed == "" && r.APIGroup == flowcontrolv1.GroupName {
		removed = lint.RemovedRelease(r.APIVersion)
	}
	if removed == "" || r.User == "" {
		return
	}
	key := caller{lint.Object{Kind: "User", Name: r.User}, r.APIGroup, r.APIVersion, removed}
	if strings.HasPrefix(r.User, "system:node:") {
		key.object = lint.Object{Kind: "Group", Name: user.NodesGroup}
	}
	of := d.calls[key]
	if of == nil {
		if d.calls == nil {
			d.calls = map[caller]*lint.DeprecatedCalls{}
		}
		of = &lint.DeprecatedCalls{Object: key.object, Group: key.group, Version: key.version, Removed: removed}
		d.calls[key] = of
	}
	of.Requests++
	if r.Status == http.StatusNotFound {
		of.NotFound++
	}
	if r.Arrival.After(of.Last) {
		of.Last = r.Arrival
	}
	addName(&of.Resources, r.Resource)
	addName(&of.Agents, r.Client)
	addName(&of.Addresses, r.Address)
}

// addName adds a name, once, unless there are too many.
func addName(names *[]string, name string) {
	switch {
	case name == "" || len(*names) > maxNamed || slices.Contains(*names, name):
	case len(*names) == maxNamed:
		*names = append(*names, "others")
	default:
		*names = append(*names, name)
	}
}

// All returns the calls, the clients with most requests first.
func (d *DeprecatedCalls) All() []lint.DeprecatedCalls {
	keys := slices.SortedFunc(maps.Keys(d.calls), func(a, b caller) int {
		return cmp.Or(cmp.Compare(d.calls[b].Requests, d.calls[a].Requests), cmp.Compare(a.object.String(), b.object.String()),
			cmp.Compare(a.group, b.group), cmp.Compare(a.version, b.version), cmp.Compare(a.removed, b.removed))
	})
	var all []lint.DeprecatedCalls
	for _, key := range keys {
		all = append(all, *d.calls[key])
	}
	return all
}
