package lint

import (
	"fmt"
	"strings"
	"time"
)

// DeprecatedCalls are the requests of a client for an API version that a release of Kubernetes removes.
type DeprecatedCalls struct {
	// Object is the User, or the Group of all nodes.
	Object Object
	// Group and Version are the API version, Resources its resources. Group is empty for the core group.
	Group, Version string
	Resources      []string
	// Removed is the first release that does not serve the version, such as 1.32.
	Removed string
	// Requests is the number of requests, NotFound the number that got 404.
	Requests, NotFound int
	// Agents are user agents and Addresses where the requests came from: some of them.
	Agents, Addresses []string
	Last              time.Time
}

// RemovedRelease returns the first release that does not serve a version of the group of flow control; ""
// if all do.
func RemovedRelease(version string) string {
	if life, ends := lifetimeOf(version); ends {
		return fmt.Sprintf("1.%d", life.removed)
	}
	return ""
}

// OfFlowControl reports whether the calls are for the group of flow control.
func (d *DeprecatedCalls) OfFlowControl() bool { return d.Group == groupName }

// Finding is FC605.
func (d *DeprecatedCalls) Finding() Finding {
	version := strings.TrimPrefix(d.Group+"/"+d.Version, "/")
	message := fmt.Sprintf("This client calls %s (%s), which Kubernetes %s no longer serves: %s, the last at %s",
		version, strings.Join(d.Resources, ", "), d.Removed, counted(d.Requests, "request"), d.Last.UTC().Format(time.RFC3339))
	if len(d.Addresses) > 0 {
		message += " from " + strings.Join(d.Addresses, ", ")
	}
	if len(d.Agents) > 0 {
		message += " as " + strings.Join(d.Agents, ", ")
	}
	message += "."
	if d.NotFound > 0 {
		message += fmt.Sprintf(" %d got 404: the API server does not serve the version.", d.NotFound)
	}
	remedy := fmt.Sprintf("Before the upgrade to Kubernetes %s, install a release of the client that calls a later version. The deprecated API migration guide of Kubernetes names it.", d.Removed)
	if _, ends := lifetimeOf(d.Version); ends && d.OfFlowControl() {
		remedy = fmt.Sprintf("Install a release of the client that calls %s, which Kubernetes serves from 1.%d on: built with k8s.io/client-go or k8s.io/apiserver 0.%d or later.", betterVersion, betterSince, betterSince)
		if d.Version == "v1beta3" {
			remedy += " Where there is none, flowcontrol-apiserver serves v1beta3 in the cluster."
		}
	}
	return finding(DeprecatedCall, d.Object, "", message, remedy)
}

// counted returns a number and its noun, which has a plural with s.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
