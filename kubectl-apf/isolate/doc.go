// Package isolate makes flow schemas and a priority level for the service accounts of one
// operator, so that neither starves the other: the operator and the rest of the cluster.
//
// # Objects
//
// Three flow schemas match only the service accounts, in this order:
//
//	NAME-leases   get, create and update of leases, to the level leader-election: an
//	              operator that fills its level keeps its leadership
//	NAME-events   writes of events, to their level of today: a storm of
//	              events takes no seats of the operator
//	NAME          every other request, to the level NAME
//
// Leases and events count if the API server says that the accounts may write them. A rule cannot name
// objects, so all leases of a namespace count.
//
// # Precedence
//
// The subjects are service accounts, so no request of another user can match. Which of their own
// requests move depends on the precedence. The schema of a request without known attributes, such
// as service-accounts, loses to the new ones; schemas before it that match some requests of the
// accounts, such as probes, keep these. So the new precedences are between the two.
//
// # Seats
//
// The level gets the seats that are named, or a thirtieth of the server's. Package size says from a trace
// what a level needs, and package diff whose requests move. Its shares are added, so every other level pays in proportion
// to its own, and the result says how much.
//
// # Demotion
//
// In an incident, a user who takes the seats of others can be demoted on a cluster that cannot be changed
// otherwise: all their requests go to a level of one share, which borrows nothing and has one short queue. Leader
// election and exempt levels keep theirs. An annotation has the time for which this is meant. Users that the
// cluster depends on are never demoted: users of the system, service accounts of kube-system and of OpenShift,
// and the users of webhooks and aggregated servers.
//
// # Proof
//
// Package diff must find that only requests of the service accounts move, and that no flow
// schema stops to match; package lint must find nothing new that is a warning or an error.
//
// # JSON
//
// The JSON form of Result is stable: fields are added, but not renamed or removed.
package isolate
