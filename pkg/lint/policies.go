package lint

import (
	"fmt"
	"slices"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
)

// Policy is a ValidatingAdmissionPolicy that is bound.
type Policy struct {
	Object Object
	// Requests are what it judges while they hold their seats.
	Requests []flowcontrolv1.ResourcePolicyRule
	// Authorizes reports whether its expressions ask the authorizer.
	Authorizes bool
	// Parameters reports whether it is judged once for each of several parameter objects.
	Parameters bool
	// Checks is the number of judgements since the servers started, and Took their mean
	// duration; 0 if unknown.
	Checks uint64
	Took   time.Duration
	// Webhook is the mean duration of a request of the server to a remote authorizer; 0 if
	// it has none, or if this is unknown.
	Webhook time.Duration
}

const (
	// slowCheck is the least mean duration of a policy that matters beside the request itself.
	slowCheck = 10 * time.Millisecond
)

// judgePolicies finds policies that ask an authorizer, or judge many parameters, while the
// requests that they judge hold seats: FC503. It is a warning if the server says that this
// takes long.
func (j *judge) judgePolicies() {
	for i := range j.Facts.Policies {
		p := &j.Facts.Policies[i]
		if !p.Authorizes && !p.Parameters && p.Took < slowCheck {
			continue
		}
		if p.Authorizes && !p.Parameters && p.Webhook == 0 && p.Took < slowCheck {
			continue // authorizers in the server answer at once
		}
		if levels := j.levelsOf(p.Requests); len(levels) > 0 {
			j.add(policyChecks(p, levels))
		}
	}
}

// levelsOf returns the limited levels of schemas that select some of the requests, sorted.
func (j *judge) levelsOf(requests []flowcontrolv1.ResourcePolicyRule) []string {
	var levels []string
	for _, schema := range j.schemas {
		name := schema.Spec.PriorityLevelConfiguration.Name
		if level := j.levels[name]; level == nil || level.Spec.Limited == nil || j.shadowed[schema.Name] || slices.Contains(levels, name) {
			continue
		}
		if slices.ContainsFunc(rulesOf(schema), func(rule ruleWithUsers) bool { return rule.selectsAny(requests) }) {
			levels = append(levels, name)
		}
	}
	slices.Sort(levels)
	return levels
}

// policyChecks is FC503.
func policyChecks(p *Policy, levels []string) Finding {
	why := "takes long"
	switch {
	case p.Authorizes && p.Webhook > 0:
		why = fmt.Sprintf("asks a remote authorizer, which takes %v on average", p.Webhook.Round(time.Millisecond))
	case p.Authorizes:
		why = "asks the authorizer"
	case p.Parameters:
		why = "is judged once for each of its parameters"
	}
	figures, severity := " How long this takes is unknown: metrics of the API server would tell.", Info
	if p.Checks > 0 {
		figures = fmt.Sprintf(" Each of %d judgements took %v on average.", p.Checks, p.Took.Round(time.Microsecond))
	}
	if p.Took >= slowCheck || p.Webhook >= slowCheck {
		severity = Warning
	}
	return finding(PolicyChecks, p.Object, "",
		fmt.Sprintf("This policy %s for each request, which holds its seats of the priority level %s meanwhile.%s", why, quoted(levels), figures),
		"Narrow matchConstraints and matchConditions to the requests that need it, or raise the shares of these levels.").as(severity)
}
