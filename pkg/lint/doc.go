// Package lint finds what the author of a FlowSchema probably did not intend.
// For now its findings are sent as API warnings on writes; they never reject a
// write.
//
// There are three findings: the priority level does not exist, the FlowSchema
// can never match, and its matchingPrecedence is used by another FlowSchema that
// matches some of the same requests, so that their names decide.
//
// # Users
//
// Two rules can match the same request only if some user belongs to a subject
// of each. Group membership is known only to the authenticator, but the
// following holds in every cluster:
//
//   - A user is in exactly one of system:authenticated and
//     system:unauthenticated. Only system:anonymous is in the latter, and in no
//     other group.
//   - Users named system:serviceaccount:NAMESPACE:NAME are service accounts. Their
//     groups are system:serviceaccounts, system:serviceaccounts:NAMESPACE and
//     system:authenticated. No other user is in the first two.
//   - Members of system:nodes are named system:node:NAME. They are in no group
//     except system:nodes and system:authenticated.
//   - Any other user can be in any other groups.
//
// Impersonation can combine users and groups that no authenticator returns. The
// package ignores this.
//
// # FlowSchemas that never match
//
// A FlowSchema is split into tuples: one subject, verb, API group, resource and
// namespace (or cluster scope) of a resource rule, or one subject, verb and URL
// of a non-resource rule. A wildcard is a value that only a wildcard covers:
// verbs and names are open sets, so no list covers it. An earlier FlowSchema
// takes a tuple if one of its rules covers the tuple in each place, because that
// rule then matches every request of the tuple. If each tuple is taken, by one
// earlier FlowSchema or by several, the FlowSchema can never match. This has no
// false positives except for impersonation. The work is proportional to tuples
// times FlowSchemas; past a limit there is no finding.
//
// An earlier FlowSchema counts only if its priority level exists, because
// FlowSchemas without one take no part in matching.
//
// # FlowSchemas that overlap
//
// Two FlowSchemas overlap if some request matches both: two of their rules have
// a user in common and a value in common in each list. Earlier FlowSchemas that
// take these requests are ignored.
package lint
