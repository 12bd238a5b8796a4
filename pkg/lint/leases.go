package lint

import (
	"fmt"

	"k8s.io/apiserver/pkg/authentication/serviceaccount"
)

const (
	// minLeases is the least number of writes of a client that holds a lease.
	minLeases = 3
	// fills is the least share of a level's seat-seconds for a client to fill it.
	fills = 0.5
)

// heldUpLeases is FC602: the client writes leases in a level that held requests up, and of
// whose seat-seconds it used most.
func (j *judge) heldUpLeases(c *Client) []Finding {
	level := j.Facts.Traffic.Levels[c.PriorityLevel]
	if c.Leases < minLeases || level.HeldUp == 0 || c.SeatSeconds < fills*level.SeatSeconds || c.SeatSeconds == 0 || j.isUnlimited(c.PriorityLevel) {
		return nil
	}
	return []Finding{finding(HeldUpLeases, c.object(), "",
		fmt.Sprintf("This client writes its leases in the priority level %q that it fills: it used %.0f of the %.0f seat-seconds there, %d requests of the level waited or were rejected, and %d of its %d writes of leases were among them.",
			c.PriorityLevel, c.SeatSeconds, level.SeatSeconds, level.HeldUp, c.HeldUpLeases, c.Leases),
		LeasesApart(c.User)).
		relatedTo(schemaObject(c.FlowSchema), levelObject(c.PriorityLevel))}
}

// LeasesApart says how to keep the leases of a user apart from its work.
func LeasesApart(user string) string {
	const send = "Send its leases to the priority level leader-election"
	if namespace, account, err := serviceaccount.SplitUsername(user); err == nil {
		return fmt.Sprintf("%s: kubectl apf isolate --service-account=%s/%s prints the flow schemas.", send, namespace, account)
	}
	return send + " by a flow schema for its user, which matches get, create and update of leases at a lower matchingPrecedence."
}

// LateLease is what the log of a client says of a lease that it could not renew.
type LateLease struct {
	// Object is a User, or the Log.
	Object Object
	// Lease is NAMESPACE/NAME; "" if no line tells it.
	Lease string
	// Failed is the number of lines about failures, Lost the part after which the client gave up.
	Failed, Lost int
	// Cause is what most lines name as the cause; "" if none names one.
	Cause string
}

// lateLease is FC606.
func lateLease(l *LateLease) Finding {
	lease, flag := "its lease", "--lease"
	if l.Lease != "" {
		lease, flag = "the lease "+l.Lease, "--lease="+l.Lease
	}
	message := fmt.Sprintf("This client failed to renew %s: its log says so %s.", lease, counted(l.Failed, "time"))
	if l.Lost > 0 {
		message += fmt.Sprintf(" It gave up %s.", counted(l.Lost, "time"))
	}
	if l.Cause != "" {
		message += fmt.Sprintf(" What held it up, by the log: %s.", l.Cause)
	}
	return finding(LostLease, l.Object, "", message,
		"kubectl apf why "+flag+" says what to change: give it this log with --client-log, and an audit log of the same time, which distinguishes flow control, etcd and the API server.")
}
