package record

import (
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// userOf returns the user of a request and their groups, by its user agent; "" if it is unknown.
func userOf(agent, address string) (name string, groups []string) {
	name, groups = component(agent, address)
	if name != "" && groups == nil {
		groups = trace.WellKnownGroups(name)
	}
	return name, groups
}

// component returns the user of a component of Kubernetes, by its user agent:
// PROGRAM/VERSION (PLATFORM) kubernetes/COMMIT/COMMENT.
func component(agent, address string) (name string, groups []string) {
	const account = "/system:serviceaccount:"
	if at := strings.Index(agent, account); at >= 0 {
		name, _, _ = strings.Cut(agent[at+1:], "/")
		return name, nil
	}
	program, _, _ := strings.Cut(agent, "/")
	switch program {
	case "kube-scheduler", "kube-controller-manager":
		return "system:" + program, nil
	case "kube-apiserver":
		return "system:apiserver", []string{"system:masters", "system:authenticated"}
	case "kubelet":
		if address != "" {
			return "system:node:" + address, nil
		}
	}
	return "", nil
}
