// Package queueset decides, for one priority level, which request may start
// now: fair queuing for server requests over a limited number of seats.
//
// # The fair schedule
//
// Let C be the limit in seats, and call a queue active while a request of it
// waits or executes. In the ideal world the seats are a fluid: every active
// queue is served at the same rate. The virtual clock R(t) says how much an
// active queue has been given since the beginning, in seat-seconds:
//
//	dR/dt = min(C, seats in use) / (number of active queues)
//
// Each queue keeps S, the reading of R at which its next request starts in
// that world. A request of work W, in seat-seconds, there ends at S + W, and
// the next one of its queue starts then. The real world dispatches whole
// requests, always the one that would end first; equal ends take turns, the
// queue served longest ago first.
//
// The work of a request is not known before it has run. At its dispatch
//
//	W = initial seats * G + final seats * additional latency,   G = 3 ms
//
// is added to S; when it has run for s instead of G, S is corrected by
// (s - G) * initial seats. Until then S grows by what the request has used so
// far, so that a queue with long requests does not look thrifty while they
// run. Any positive G gives the same shares in the long run; a small one makes
// what a queue is charged follow what it used.
//
// A queue that becomes active starts at R: what it did not use while it was
// idle is lost. If it had run ahead of R just before, it starts where it had
// got to: running empty for a moment does not pay off a debt. And a request
// cannot start in the ideal world before it came: S is raised to R(arrival of
// the oldest waiting request) whenever a correction or a change of that request
// left it below. Without this rule a queue that uses less than its share, but
// never quite runs empty, would save up an unlimited claim.
//
// The opposite must be prevented too. When busy queues leave seats unused, the
// others run ahead of R, as they should, and without bound as time goes by. A
// queue that then becomes active would start at R, far behind all the others,
// and be served alone until it caught up. Therefore R never lags far behind the
// queue just dispatched: it is raised to
//
//	S - G * (initial seats executing) - C / (number of active queues) * 1 s
//
// of which the first two terms are a lower estimate of where that queue is. As
// it is the least advanced of all that wait, a latecomer is at most one second
// of its share ahead of them. That second is left so that a thrifty queue which
// the others' bursts hinder keeps its claim for as long.
//
// # Widths and limits
//
// A request needs max(initial, final) free seats to start. If the request that
// is next does not fit, the free seats are kept for it, so that wide requests come
// to their turn. Who is next is asked again at every event: the request of a queue
// that just became active may well be due before it, and does not wait for seats
// to be collected for the other. One that is wider than C starts when nothing else
// holds a seat. Final seats beyond C are reduced to C and held for longer instead,
// the seat-seconds staying the same. With C = 0 nothing starts.
//
// Seats that are kept free are given to nobody. R counts seats in use, so it does
// not advance by them: else all that wait would fall behind it together, and a
// mouse, which starts at R, would come after all of them. Nor is the wide request
// charged for them. What is to be shared alike is what requests use, and how long
// seats take to collect depends on the requests of others.
//
// Each time that seats are collected some are wasted, so it is done for several
// wide requests at once. While two or more wait that do not fit, those that do fit
// and are due soon overtake them, until the wide ones are so far behind that,
// once seats are collected, several of them are due one after the other and take
// the same seats. If B is how far they may fall behind, all collections together
// waste a part of the seats in proportion to 1/B. But B must be less than the
// second by which R may lag, since a claim beyond that is forgotten; it is half a
// second of the share. A wide request that is alone is not overtaken: it would
// wait, and nothing would be saved.
//
// # Hands
//
// A flow hashes to a hand of queues; a request joins the queue of the hand with
// the least work waiting, and of those with the same, the one whose S is least;
// from then on ties take turns. Queues are what is served alike, and a flow that
// keeps all queues of its hand busy has the share of all. One that sends a request
// after the other has no work waiting in any: if it met the same queue, that would
// be in debt, while the share of the others went unused.
//
// # Two regimes
//
// As long as seats are free nobody waits, the ideal and the real world agree,
// and no order is needed. A Set is then open: its free seats are lent out to
// shards, a request takes a seat from a shard under that shard's lock and
// gives it back there. Processors do not meet.
//
// When an arrival finds too few seats in its shard and in the reserve, the Set
// closes: it takes back the seats of the shards, deals each executing request
// to a queue as if it had been dispatched at that moment (seats used while
// nobody wanted them are not held against anybody), and from then on works
// under one lock, by the rules above. It opens again when nobody waits and a
// quarter of the limit is free, so that closing, which costs time in
// proportion to the limit, happens at most once per so many requests.
//
// Lock order: Set.mu before shard.mu. No two shards are locked at once.
package queueset
