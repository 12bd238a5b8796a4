// Package lint tells the writer of a FlowSchema what he probably did not mean.
//
// There are three things to tell of: the priority level does not exist, the
// schema can never match, its precedence leaves to names which of two schemas
// takes a request. Advice never refuses a write.
//
// # Who a user is
//
// Which users a subject means decides whether two subjects can mean the same
// one. Membership in a group is known only to whoever authenticates, but these
// things hold on every cluster:
//
//   - A user is in exactly one of system:authenticated and
//     system:unauthenticated; in the latter is system:anonymous alone, who is in
//     no other group.
//   - Users called system:serviceaccount:NAMESPACE:NAME are service accounts. Their
//     groups are system:serviceaccounts, system:serviceaccounts:NAMESPACE and
//     system:authenticated; nobody else is in one of the first two.
//   - The members of system:nodes are called system:node:NAME and are in no group
//     but that and system:authenticated.
//   - Any other user may be in any other groups.
//
// A client that impersonates may put together a user whom nobody authenticates;
// advice looks past that.
//
// # A schema that never matches
//
// A schema is cut into atoms: one subject, one verb, one API group, one resource
// and one namespace (or none) of a rule, or one subject, one verb and one URL. A
// wildcard is a value like any other, which only a wildcard covers. An atom is
// taken if one rule of an earlier schema covers it in each place: then that rule
// matches every request of the atom. If every atom is taken, by one earlier
// schema or by several together, the schema can never match. There is no false
// alarm, but for impersonation. Verbs and names are open sets: a wildcard is not
// covered by a list of all there is today. And beyond a bound of work, in
// proportion to the atoms times the schemas, nothing is said.
//
// An earlier schema counts only if its priority level exists, for others take no
// part in matching.
//
// # Schemas that overlap
//
// Two schemas overlap if there is a request that both match: if two rules have in
// common a user and, in each list, a value. What even earlier schemas take of
// that is not looked at.
package lint
