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
	// Said is the number of lines.
	Said int
}

// failedList is FC604.
func failedList(l *FailedList) Finding {
	reason := fmt.Sprintf("the API server does not serve %s/%s", groupName, l.Version)
	remedy := fmt.Sprintf("Build it with k8s.io/apiserver 0.%d or later, which reads v1, or set its flag --enable-priority-and-fairness=false.", libraryWithV1)
	switch {
	case l.Forbidden:
		reason = "its user may not list these objects"
		remedy = fmt.Sprintf("Allow its user to get, list and watch flowschemas and prioritylevelconfigurations of %s, or set its flag --enable-priority-and-fairness=false.", groupName)
		if _, ends := lifetimeOf(l.Version); ends {
			remedy += " A release of it that reads v1 is needed too where this version is not served."
		}
	case l.Version == "v1beta3":
		remedy += " Until then flowcontrol-apiserver can serve v1beta3 in the cluster."
	}
	return finding(FailedLists, l.Object, "", fmt.Sprintf("This server fails to list FlowSchemas or PriorityLevelConfigurations, because %s: %d lines of its log say so. "+
		"It runs, and its /readyz fails. Its flow control has only the mandatory objects: system:masters is exempt, and all others share catch-all. That level has all seats and no queue.",
		reason, l.Said), remedy)
}

// libraryWithV1 is the minor release of k8s.io/apiserver 0.x that is the first to read v1.
const libraryWithV1 = 29
