// Package classify finds the flow schema of a request.
//
// The schemas are tried in order of precedence and the first match decides.
// That is the meaning, and trying them one after the other would be the
// simplest way; but then every request would pay for every schema that is not
// its own. Here the schemas are turned, once, into an immutable index, and a
// request pays for its own properties alone.
//
// # Rows and tuples
//
// Number the schemas in matching order; this is their rank. A row is one
// resource rule of one rule of one schema, or one non-resource rule. It holds
// lists: subjects S, verbs V, API groups G, resources R, namespaces N, each of
// them a list of values or the wildcard. A request has one value in each list's
// place, several as far as subjects go: its user, each of its groups, the
// namespace of its service account, and "anybody".
//
// Every value that a schema mentions gets a number; number 0 is the wildcard.
// A row is written into a hash table under each tuple of S × G × R × N, and the
// table keeps for each verb the lowest rank under that tuple, which is all that
// can ever decide. So however many schemas share a tuple, looking it up is one
// step. The table is made of small pages, each of which grows by itself: memory
// that is cleared, copied or collected in one piece keeps requests waiting.
//
// A request is looked up, for each of its subjects, under the 2³ tuples in
// which its API group, resource and namespace are either themselves or the
// wildcard. Most of these shapes are skipped: each subject knows in which of
// them the request's verb occurs, and the lowest rank in each; a shape that
// cannot beat the match in hand is not looked up. A request without a namespace
// has the value "cluster scope" in its place, and the wildcard does not cover
// that.
//
// A subject also knows the lowest rank of a row of wildcards alone, which takes
// all that it asks for. If that is the first schema, as it is for those who are
// exempt, nothing but the subject is looked up.
//
// The work is thus bounded by 8 × the number of the request's subjects, and in
// no way by the number of schemas.
//
// # Paths
//
// A non-resource rule covers an exact path and everything below it. All the
// paths and prefixes of the schemas form a tree by "is a prefix of". The
// request finds its deepest node and walks to the root, which is the wildcard;
// each node on the way is a path that does match.
//
// # Long lists
//
// The product of long lists may be too large to write down. When the tuples of
// all rows exceed a budget, the rows with the most tuples are kept apart, as one
// bit each in sparse bit sets, one set per value: a row matches if its bit is
// in the sets of all five of the request's values (each united with that of the
// wildcard). The sets are walked together in steps of 64 rows, skipping whatever
// any of them skips. This takes memory in proportion to the sum of the lists,
// not their product, and in the worst case, of sets that are dense and yet
// disjoint, time in proportion to 1/64 of the number of such rows. Requests
// repeat themselves, and what no schema mentions counts as one value, so the
// outcomes of recent walks are remembered, in a table of fixed size: the index
// itself never changes.
package classify
