package lint

import (
	"fmt"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/longrunning"
)

const removeRule = "Remove the rule: flow control neither delays nor limits these requests."

// readLongRunning adds FC114 for a rule whose requests are long-running, so that flow control does not
// govern them, and reports whether all are. If others match the rule, the finding is an info.
func (r *ruleReader) readLongRunning(resources *flowcontrolv1.ResourcePolicyRule, path string) bool {
	isProxy := len(resources.Verbs) > 0 && !slices.ContainsFunc(resources.Verbs, func(verb string) bool { return verb != "proxy" })
	var found []string
	for _, resource := range resources.Resources {
		if _, subresource, _ := strings.Cut(resource, "/"); longrunning.IsSubresource(subresource) {
			found = append(found, resource)
		}
	}
	switch all := len(found) > 0 && len(found) == len(resources.Resources); {
	case isProxy:
		r.add(ImpossibleScope, path+".verbs", "Requests with the verb proxy are long-running, and kube-apiserver does not subject them to flow control. So no request matches this rule.", removeRule)
		return true
	case all:
		r.add(ImpossibleScope, path+".resources", fmt.Sprintf("Requests for %s are long-running, and kube-apiserver does not subject them to flow control. So no request matches this rule.", quoted(found)), removeRule)
		return true
	case len(found) > 0:
		r.addFinding(finding(ImpossibleScope, r.object, path+".resources",
			fmt.Sprintf("Requests for %s are long-running, and kube-apiserver does not subject them to flow control; other resources of the rule can match.", quoted(found)),
			"Remove these resources from the rule.").as(Info))
	}
	return false
}

// readProfiles adds FC114 for a URL of profiles, which are long-running.
func (r *ruleReader) readProfiles(url, field string) {
	const what = "Requests for profiles are long-running, and no API server subjects them to flow control."
	switch {
	case longrunning.IsURLOfProfiles(url):
		r.add(ImpossibleScope, field, what+" So no request matches this URL.", "Remove the URL.")
	case url == "/debug/pprof":
		r.addFinding(finding(ImpossibleScope, r.object, field, what+" Only the redirect from this path to the profiles can match.", "Remove the URL.").as(Info))
	}
}
