// Package lint finds what the authors of FlowSchemas and PriorityLevelConfigurations
// probably did not intend. Each finding has a stable Code, and
// docs/kubectl-apf-findings.md explains them.
//
// Check judges a Bundle: a whole configuration, the built-in objects of the release, the
// seats of a server, and what is known of the cluster. An Advisor judges one written
// object together with the stored objects; a server sends its findings as API warnings.
// Both share the checks. No finding rejects a write.
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
// covers a tuple if one of its rules covers it in each place, because that
// rule then matches every request of the tuple. If each tuple is covered, by one
// earlier FlowSchema or by several, the FlowSchema can never match. This has no
// false positives except for impersonation.
//
// An earlier FlowSchema counts only if its priority level exists, because
// FlowSchemas without one take no part in matching.
//
// # Work
//
// Tuples are not listed: package box compares the lists of rules as sets, in work near the
// number of their values. In the worst case the work still grows with a power of it, so each
// FlowSchema has a budget, and FC115 says when it is spent: 5,000,000 comparisons of two values in
// a bundle, 20 ms in a write, which also ends with its request.
//
// # Many FlowSchemas
//
// On write, one word each excludes most FlowSchemas that have no common user: see UserMask. A bundle
// of 10,000 takes a second if each has a user or service account of its own, and seconds if all
// share one group and one precedence.
//
// # FlowSchemas that overlap
//
// Two FlowSchemas overlap if some request matches both: two of their rules have a user in common
// and a value in common in each list. If these requests match earlier FlowSchemas, they are
// ignored. A finding about a schema that never matches replaces the one about its precedence. If
// only group memberships that nothing requires make two FlowSchemas overlap, or if both have the
// same priority level, the finding is an info.
//
// # Seats
//
// Limits are as in package allocation for the Bundle's total. The longest wait is a quarter of the
// default request timeout, 15 s. A level of n seats then serves n · 15 s / d requests of duration d
// while a request waits; the bound of queue lengths takes d = 100 ms, which most requests exceed.
// The probability that an elephant squishes a mouse is from package flow.
package lint
