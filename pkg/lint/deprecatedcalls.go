package lint

import (
	"fmt"
	"slices"
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
	// Writes and Gets are the numbers of writes, and of gets of one object, among them. Only a client that
	// was written for the resource sends these.
	Writes, Gets int
	// Follows is how it is known that the client calls whatever versions discovery has, so that it need not
	// change; empty otherwise.
	Follows string
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

// Finding is FC605 about a client that must change.
func (d *DeprecatedCalls) Finding() Finding {
	message := fmt.Sprintf("This client calls %s (%s), which Kubernetes %s no longer serves: %s, the last at %s",
		d.version(), strings.Join(d.Resources, ", "), d.Removed, counted(d.Requests, "request"), d.Last.UTC().Format(time.RFC3339))
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
	switch {
	case d.Writes+d.Gets > 0:
		message += fmt.Sprintf(" It names the version: %s and %s of single objects are among them.", counted(d.Writes, "write"), counted(d.Gets, "get"))
	default:
		message += " It only lists and watches, and lists few other API groups, so it names the version."
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

// followers is FC605 about the clients that follow discovery: an info for each version.
func followers(calls []DeprecatedCalls) []Finding {
	var findings []Finding
	for i := range calls {
		d := &calls[i]
		version := Object{Kind: "APIVersion", Name: d.version()}
		if d.Follows == "" {
			continue
		}
		at := slices.IndexFunc(findings, func(f Finding) bool { return f.Object == version })
		if at < 0 {
			at = len(findings)
			findings = append(findings, finding(DeprecatedCall, version, "",
				fmt.Sprintf("Kubernetes %s no longer serves this version. Clients that follow discovery call it, and stop when it is gone:", d.Removed),
				"Change nothing in these clients.").as(Info))
		}
		f := &findings[at]
		if f.Related = append(f.Related, d.Object); len(f.Related) <= maxNames {
			f.Message += fmt.Sprintf(" %s, which %s.", d.Object.Name, d.Follows)
		}
	}
	for i := range findings {
		if more := len(findings[i].Related) - maxNames; more > 0 {
			findings[i].Message += fmt.Sprintf(" And %d more.", more)
		}
	}
	return findings
}

// version returns GROUP/VERSION, or VERSION of the core group.
func (d *DeprecatedCalls) version() string { return strings.TrimPrefix(d.Group+"/"+d.Version, "/") }

// counted returns a number and its noun, which has a plural with s.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
