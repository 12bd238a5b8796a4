package lint

import "fmt"

// FailedList is what the log of a server on k8s.io/apiserver says of its informers of flow control:
// they fail to list a version of its API.
type FailedList struct {
	// Object is a User, or the Log.
	Object Object
	// Version is the API version, such as v1beta3.
	Version string
	// Forbidden reports that the user may not list; otherwise the version is not served.
	Forbidden bool
	// Warnings and Errors are the numbers of lines. client-go may write one of each about a failure.
	Warnings, Errors int
}

// failedList is FC604.
func failedList(l *FailedList) Finding {
	off := "--enable-priority-and-fairness=false"
	_, old := lifetimeOf(l.Version)
	if old { // the release of the library that reads it has no such flag in its RecommendedOptions
		off = "--feature-gates=APIPriorityAndFairness=false"
	}
	reason := fmt.Sprintf("the API server does not serve %s/%s", groupName, l.Version)
	remedy := "Where API servers are of Kubernetes 1.29 or later, install a release of it that is built with k8s.io/apiserver 0.29 or later: that reads v1."
	switch {
	case l.Forbidden:
		reason = "its user may not list these objects"
		remedy = fmt.Sprintf("Allow its user to get, list and watch flowschemas and prioritylevelconfigurations of %s.", groupName)
		if old {
			remedy += " A release of it that reads v1 is needed too where this version is not served."
		}
	case !old:
		remedy = "Upgrade the API server to Kubernetes 1.29 or later, which serves v1."
	case l.Version == "v1beta3":
		remedy += " Until then flowcontrol-apiserver can serve v1beta3 in the cluster."
	}
	return finding(FailedLists, l.Object, "", fmt.Sprintf("This server fails to list FlowSchemas or PriorityLevelConfigurations, because %s. Its log says so %s. "+
		"It runs, and its /readyz fails. Its flow control has only the mandatory objects: system:masters is exempt, and all others share catch-all. That level has all seats and no queue.",
		reason, counted(max(l.Warnings, l.Errors), "time")), remedy+" Or switch its flow control off, if it has the flag: "+off+".")
}
