// Package classify finds the flow schema of a request.
//
// Schemas are tried in matching order: exempt first, then by precedence and name,
// catch-all last. The first that matches decides. To try them one at a time
// would cost every request time for every schema. So New turns the schemas into an immutable index:
// the time of a lookup depends only on the attributes of the request. A change makes another index.
//
// # Rows and tuples
//
// The rank of a schema is its number in matching order. A row is one resource rule
// or one non-resource rule of a schema. It holds lists: subjects S, verbs V, API
// groups G, resources R and namespaces N, each of values or the wildcard. A request has one value
// for each list but S, where it has several: its user, its groups, the namespace of its service
// account, and "everybody".
//
// Each value that a schema mentions gets a number; 0 is the wildcard. A row is
// entered into a hash table under each tuple of S × G × R × N. The table keeps, for
// each tuple and verb, the lowest rank only, because no other can decide. So a lookup
// is one step, however many schemas share the tuple.
//
// A request is looked up, for each of its subjects, under 2³ tuples: API group, resource and
// namespace are either its own or the wildcard. These are the shapes of tuples. Each subject has,
// for each verb, the set of its shapes, and for each shape the lowest rank: a shape that the
// subject lacks, or that cannot beat the best match so far, is not looked up. A request without a
// namespace has the value "cluster scope" instead, which the wildcard does not cover.
//
// A subject also has the lowest rank of a row that matches all of its requests. If
// that is rank 0, as for exempt users, no tuple is looked up.
//
// So a request takes at most 8 lookups for each of its subjects, whatever the number
// of schemas.
//
// # Paths
//
// A URL in a non-resource rule covers the path and everything below it. The paths
// and prefixes of all schemas form a tree by "is a prefix of". A request finds its
// deepest node and walks to the root, which is the wildcard. Every node on that walk
// covers the path of the request.
//
// # Bitmaps
//
// The product of long lists may have too many tuples. When the tuples of all rows
// exceed a budget, the rows with the most tuples go into a bitmap index instead: a
// sparse bit set for each value of each list, with one bit for each row. A row
// matches if its bit is in the sets of all five values of the request, each united
// with the set of the wildcard. The sets are walked together, 64 rows at a time,
// skipping what any of them skips. Memory is proportional to the sum of the lists,
// not to their product. Time, in the worst case of dense but disjoint sets, is proportional to 1/64
// of the number of these rows. A memo of fixed size caches the results of recent walks.
package classify
