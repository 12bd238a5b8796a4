// Package diff compares two flow-control configurations, before and after a change: which
// requests move to another flow schema or priority level, which flow schemas stop or start to
// match, and what seats and room for borrowing each level has.
//
// Limits and classification come from engines that enforce either configuration.
//
// # Requests of an audit log
//
// Each request of the log is classified by both engines. Requests that flow control
// does not govern do not count.
//
// # Combinations
//
// Without a log, the requests are all combinations of user, verb, API group, resource
// and namespace, or user, verb and path, that the rules of both configurations can
// distinguish. A value that no rule names stands for all others; it is written "*".
//
// Only requests that match a schema that changes can move: the schema is added or
// removed, its specification differs, or its level appears or disappears. All other
// schemas are in both configurations, in the same order, so the first of them to match is the same.
// So the combinations come from the rules of the changing schemas, in both versions. A list in a
// rule gives its values; a wildcard gives "*" and the values that are named by any rule that
// matches the user: other rules do not distinguish requests of this user.
//
// The users are one user for each subject that any rule names, in those groups that
// the subject implies, such as system:authenticated. Users in several named groups are
// not tried. Combinations of API group and resource that no rule names together may not
// exist; they are shown only if there are no others.
//
// The work is bounded by maxCombinations. A result that is cut says so.
//
// # Flow schemas that never match
//
// A schema never matches if an engine classifies all combinations of its rules to other
// schemas. Here "*" alone stands for a wildcard, and a subject for its own user:
// whatever else matches these requests matches all others of the rule too.
//
// # JSON
//
// The JSON form of Result is stable: fields are added, but not renamed or removed.
package diff
