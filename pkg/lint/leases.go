package lint

import (
	"fmt"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

const (
	leaseGroup = "coordination.k8s.io"
	leases     = "leases"
	// minLeases is the least number of writes of a client that holds a lease.
	minLeases = 3
	// fills is the least share of a level's seat-seconds for a client to fill it.
	fills = 0.5
)

const ofLeases = `Add a FlowSchema that sends get, create and update of leases of this service account to the priority level "leader-election", with a lower matchingPrecedence.`

// Leader is a service account that holds a lease.
type Leader struct {
	// LeaseNamespace and Lease are the lease's.
	LeaseNamespace, Lease string
	// Namespace and ServiceAccount are the pod's that holds it.
	Namespace, ServiceAccount string
}

// judgeLeases finds FlowSchemas that send a leader's leases and all its other requests to one
// limited level that is not built in: FC602. It is an info, because only logs tell how much it
// sends.
func (j *judge) judgeLeases() {
	judged := map[string]bool{}
	for i := range j.Facts.Leaders {
		leader := &j.Facts.Leaders[i]
		request := requestOf(leader.Namespace, leader.ServiceAccount)
		request.Verb, request.APIGroup, request.Resource, request.Namespace = "update", leaseGroup, leases, leader.LeaseNamespace
		schema := j.matcher().schemaOf(&request)
		if schema == nil || judged[schema.Name] {
			continue
		}
		level := schema.Spec.PriorityLevelConfiguration.Name
		if j.defaults.level(level) != nil || isMandatoryLevel(level) || j.isUnlimited(level) || !matchesWork(schema, leader) {
			continue
		}
		judged[schema.Name] = true
		j.add(leasesWithWork(schema, leader))
	}
}

// matchesWork reports whether a schema matches writes of anything but leases of the leader.
func matchesWork(schema *flowcontrolv1.FlowSchema, leader *Leader) bool {
	account := rules.Users{Kind: rules.OneServiceAccount, Namespace: leader.Namespace, Name: leader.ServiceAccount}
	return slices.ContainsFunc(rulesOf(schema), func(rule ruleWithUsers) bool {
		return slices.ContainsFunc(rule.users, func(users rules.Users) bool { return users.Covers(account) }) && hasOtherThanLeases(rule.ResourceRules)
	})
}

// hasOtherThanLeases reports whether a rule selects writes of anything but leases.
func hasOtherThanLeases(resources []flowcontrolv1.ResourcePolicyRule) bool {
	return slices.ContainsFunc(resources, func(r flowcontrolv1.ResourcePolicyRule) bool {
		writes := slices.ContainsFunc([]string{"create", "update", "patch", "delete"}, func(verb string) bool { return rules.Covers(r.Verbs, verb) })
		return writes && slices.ContainsFunc(r.Resources, func(resource string) bool { return resource != leases })
	})
}

// leasesWithWork is FC602 by the configuration alone.
func leasesWithWork(schema *flowcontrolv1.FlowSchema, leader *Leader) Finding {
	level := schema.Spec.PriorityLevelConfiguration.Name
	return finding(HeldUpLeases, schemaObject(schema.Name), "spec.rules",
		fmt.Sprintf("The service account %s/%s holds the lease %s/%s, and its leases and its work get the same priority level, %q, so when it fills this level, it may lose its lease.",
			leader.Namespace, leader.ServiceAccount, leader.LeaseNamespace, leader.Lease, level), ofLeases).as(Info).relatedTo(levelObject(level))
}

// heldUpLeases is FC602 by logs: the client writes leases in a level that held requests up, and of
// whose seat-seconds it used most.
func (j *judge) heldUpLeases(c *Client) []Finding {
	level := j.Facts.Traffic.Levels[c.PriorityLevel]
	if c.Leases < minLeases || level.HeldUp == 0 || c.SeatSeconds < fills*level.SeatSeconds || c.SeatSeconds == 0 || j.isUnlimited(c.PriorityLevel) {
		return nil
	}
	remedy := ofLeases
	if _, _, err := serviceaccount.SplitUsername(c.User); err != nil {
		remedy = `Add a FlowSchema that sends get, create and update of leases of this client to the priority level "leader-election", with a lower matchingPrecedence.`
	}
	return []Finding{finding(HeldUpLeases, c.object(), "",
		fmt.Sprintf("This client writes its leases in the priority level %q that it fills: it used %.0f of the %.0f seat-seconds there, %d requests of the level waited or were rejected, and %d of its %d writes of leases were among them.",
			c.PriorityLevel, c.SeatSeconds, level.SeatSeconds, level.HeldUp, c.HeldUpLeases, c.Leases), remedy).
		relatedTo(schemaObject(c.FlowSchema), levelObject(c.PriorityLevel))}
}
