// Package classify finds the flow schema of a request.
//
// Schemas are tried in matching order: exempt first, then by precedence and name,
// catch-all last. The first that matches decides. To try them one at a time
// would cost every request time for every schema. So New turns the schemas into an immutable index. A
// change makes another index.
//
// # Rows
//
// The rank of a schema is its number in matching order. A row is one resource rule
// or one non-resource rule of a schema. It has lists: subjects, verbs, API groups,
// resources and namespaces, each of values or the wildcard. A request has one value
// for each list, and several subjects: its user, its groups, the namespace of its
// service account, and "everybody". A request without a namespace has the value "cluster scope" instead,
// which the wildcard does not cover.
//
// Each value that a schema mentions gets a number; 0 is the wildcard. For each value of each list there
// is a sparse bit set with one bit for each row. A row matches if its bit is in the sets of all five
// values of the request, each united with the set of the wildcard. The first common bit decides, since
// rows are in matching order. Memory is proportional to the sum of the lists.
//
// The sets are walked together, 64 rows at a time, skipping what any of them skips. The built-in schemas
// of Kubernetes have fewer rows, so for them a walk is one step for each subject. With many schemas,
// a walk is short unless all sets are dense: in the worst case of dense but disjoint sets, its time is
// proportional to 1/64 of the number of rows. A memo of fixed size has the results of recent walks. Dense
// sets have few different values, so requests that need long walks share them.
//
// A subject also has the lowest rank of a row that matches all of its requests. If
// that is rank 0, as for exempt users, no set is looked at.
//
// # Paths
//
// A URL in a non-resource rule covers the path and everything below it. The paths
// and prefixes of all schemas form a tree by "is a prefix of". A request finds its
// deepest node and walks to the root, which is the wildcard. Every node on that walk
// covers the path of the request.
package classify
