// Package engine puts the levels and the classifier together: it takes a
// request from its attributes to its seats, and a configuration from plain
// values to running levels.
//
// # Requests
//
// All that a request needs to find its way is in a snapshot, which is never
// changed: the classifier, and for each flow schema its level, the memory of
// its hashes and its figures. The present snapshot is behind one atomic
// pointer. A request loads it once and stays with what it found; applying a
// configuration never waits for requests, nor they for it.
//
//	t := e.Begin()
//	t.Attributes = ...
//	t.Classify()
//	if t.Admit(ctx, work, nil) {
//		defer t.Finish()
//		... execute ...
//	}
//	t.End()
//
// The steps are separate because the estimate of the work depends on the
// class. A Ticket is used again by later requests.
//
// # Configuration
//
// Apply replaces the whole configuration. The levels and schemas "exempt" and
// "catch-all" exist whatever it says: where they are missing, their built-in
// form acts. What is malformed is reported, and its last good form stays in
// force, if there was one. A schema whose level does not exist takes no part.
//
// A level that is no longer configured quiesces (see package prioritylevel)
// and is dropped when it has drained.
//
// # Seats
//
// The limits follow from the shares of all levels, those that quiesce
// included, and from the demand that each showed: Rebalance ends a period of
// demand and divides anew. Someone outside must call it every 10 seconds.
package engine
