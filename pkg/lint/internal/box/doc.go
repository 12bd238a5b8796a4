// Package box compares the requests of flow schemas as sets.
//
// A policy rule with its subjects matches a product of sets: users × verbs × API groups ×
// resources × namespaces. A product of sets is a Box. Its tuples are too many to be listed: four
// lists of 100 values have 100,000,000. Its sets have as many elements as the object has values.
//
// A wildcard is an element that only a wildcard covers: verbs and names are open sets, so no
// list covers it.
//
// # Covering
//
// Index.Cover looks for boxes that together cover another one. It takes the first tuple of the
// box and a box of the index that covers this tuple, and splits each set of the box into the
// elements that the found one covers and the rest. The product of the covered elements is done.
// What is left is a box for each set with a rest:
//
//	(rest of verbs) × all groups × …,  (covered verbs) × (rest of groups) × …,  and so on.
//
// These are searched likewise. If no box of the index covers the first tuple, the search ends.
// Two users that the same boxes select need one search: an Index gives each set of boxes a
// number.
//
// The work is near the sum of the sizes of the sets if few boxes are needed. In the worst case it
// grows with the number of rests, so a Budget bounds it.
package box
