package logs

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
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
	reads map[lint.Object]groups
}

type caller struct {
	object                  lint.Object
	group, version, removed string
}

// groups are API groups that a client lists or watches, as far as they are counted.
type groups map[string]bool

const (
	// manyGroups and manyForeign are how many API groups, and how many that are not Kubernetes' own, a client
	// lists that follows discovery. Programs that are written for their kinds list fewer: kube-state-metrics
	// about a dozen, all of Kubernetes.
	manyGroups, manyForeign = 10, 3
	// maxReaders bounds the clients whose groups are counted.
	maxReaders = 1 << 14
)

// Observe counts a request. An API server that no longer serves a version does not annotate its requests:
// then only those for flow control are known.
func (d *DeprecatedCalls) Observe(r *Request) {
	if r.User == "" {
		return
	}
	client := clientOf(r)
	if r.Verb == "list" || r.Verb == "watch" {
		d.read(client, r.APIGroup)
	}
	removed := r.Removed
	if removed == "" && r.APIGroup == flowcontrolv1.GroupName {
		removed = lint.RemovedRelease(r.APIVersion)
	}
	if removed == "" {
		return
	}
	of := d.of(caller{client, r.APIGroup, r.APIVersion, removed})
	of.Requests++
	switch r.Verb {
	case "get":
		of.Gets++
	case "create", "update", "patch", "delete":
		of.Writes++
	}
	if r.Status == http.StatusNotFound {
		of.NotFound++
	}
	if r.Arrival.After(of.Last) {
		of.Last = r.Arrival
	}
	of.Follows = cmp.Or(of.Follows, partOfKubernetes(r))
	addName(&of.Resources, r.Resource)
	addName(&of.Agents, r.Client)
	addName(&of.Addresses, r.Address)
}

// clientOf returns the user, or for nodes their group.
func clientOf(r *Request) lint.Object {
	if strings.HasPrefix(r.User, "system:node:") {
		return lint.Object{Kind: "Group", Name: user.NodesGroup}
	}
	return lint.Object{Kind: "User", Name: r.User}
}

func (d *DeprecatedCalls) read(client lint.Object, group string) {
	if d.reads == nil {
		d.reads = map[lint.Object]groups{}
	}
	of := d.reads[client]
	if of == nil {
		if len(d.reads) == maxReaders {
			return
		}
		of = groups{}
		d.reads[client] = of
	}
	if len(of) < 2*manyGroups || isForeign(group) && len(of) < 4*manyGroups {
		of[group] = true
	}
}

func (d *DeprecatedCalls) of(key caller) *lint.DeprecatedCalls {
	of := d.calls[key]
	if of == nil {
		if d.calls == nil {
			d.calls = map[caller]*lint.DeprecatedCalls{}
		}
		of = &lint.DeprecatedCalls{Object: key.object, Group: key.group, Version: key.version, Removed: key.removed}
		d.calls[key] = of
	}
	return of
}

// isForeign reports whether an API group is not one of Kubernetes itself: these end in .k8s.io or have no dot.
func isForeign(group string) bool {
	return strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io")
}

// partOfKubernetes says by what a client is known to be a part of a control plane; it is empty otherwise. The
// garbage collector, the quota and the namespace controller call whatever discovery has, and all are
// upgraded with the API server.
func partOfKubernetes(r *Request) string {
	program, _, _ := strings.Cut(r.Client, "/")
	switch r.User {
	case user.APIServerUser, user.KubeControllerManager, user.KubeScheduler:
		return "is a part of the control plane, by its user"
	}
	// Distributions have one program for all of the control plane, whose controllers have their user in the agent.
	namespace, _, err := serviceaccount.SplitUsername(r.User)
	if err == nil && namespace == metav1.NamespaceSystem && (program == "kube-controller-manager" || strings.HasSuffix(r.Client, "/"+r.User)) {
		return "is a controller of the control plane, by its user agent"
	}
	return ""
}

// follows says by what a client is known to follow discovery; it is empty otherwise.
func (d *DeprecatedCalls) follows(of *lint.DeprecatedCalls) string {
	foreign, read := 0, d.reads[of.Object]
	for group := range read {
		if isForeign(group) {
			foreign++
		}
	}
	if of.Follows == "" && of.Writes+of.Gets == 0 && len(read) >= manyGroups && foreign >= manyForeign {
		return fmt.Sprintf("only lists and watches it, and at least %d API groups, %d of them not of Kubernetes", len(read), foreign)
	}
	return of.Follows
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
		of := *d.calls[key]
		of.Follows = d.follows(&of)
		all = append(all, of)
	}
	return all
}
