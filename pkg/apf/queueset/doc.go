// Package queueset decides, for one priority level, which request may start
// now. It is fair queuing for server requests over a limited number of seats.
//
// # The fair schedule
//
// Each flow has a queue. Let C be the limit in seats. A queue is active while a request of it waits
// or executes. In the ideal world seats are a fluid, and every queue that counts is served at the same
// rate. The virtual clock R(t) is what a queue that counts has been given since the beginning, in
// seat-seconds:
//
//	dR/dt = min(C, seats in use) / N,   N = number of queues that count
//
// Each queue has S, the reading of R when its next request starts in the ideal world. A request of
// work W, in seat-seconds, ends there at S + W, and the next one of its queue starts then. The real
// world dispatches whole requests. It always dispatches the one with the least S + W. On a tie, the
// request that has been at the head of its queue for longest comes first.
//
// Active queues count, and so do inactive queues while S is more than G beyond R, where G is small,
// see below: these used more than their share, and in the ideal world are still being served. This
// is generalized processor sharing (Parekh and Gallager, IEEE/ACM Transactions on Networking 1(3),
// 1993). If only active queues counted, waiting queues would never get back what an inactive one
// took from them. They are served at the rate of R, and would fall further behind it with each
// queue that becomes inactive.
//
// The work of a request is not known before it has run. At its dispatch
//
//	W = initial seats * G + final seats * additional latency,   G = 3 ms
//
// is added to S. When it has run for s instead of G, S is corrected by
// (s - G) * initial seats. Until then S grows by what the request has used so
// far. Otherwise a queue with long requests would look as if it had used little
// while they run. Any positive G gives the same shares in the long run. With a
// small one, what a queue is charged follows what it used.
//
// A queue that becomes active starts at R: it loses what it did not use while it
// was inactive. If its S is beyond R, it keeps S: it does not lose what it owes by
// being inactive for a moment. A level at rest, where no request waits or executes, forgets
// all S. And a request cannot start in the ideal world before
// it arrived: whenever a correction or a change of the oldest waiting request leaves
// S below R(arrival of that request), S is raised to it. Without this rule a queue
// that uses less than its share, but is always active, would save up a claim without
// bound.
//
// The opposite must be prevented too. When active queues leave seats unused, the
// other queues run ahead of R, as they should, further and further. A queue that then
// becomes active would start at R, far behind all others, and would be served alone
// until it caught up. Therefore R never lags far behind the queue just dispatched.
// At each dispatch R is raised to
//
//	S - G * (initial seats executing) - C / N * 1 s
//
// if it is below. The first two terms are a lower bound of where that queue is. Since
// this queue is the least advanced of all with waiting requests, a queue that becomes
// active is at most one second of its share ahead of them. The second is for queues
// that use little: they keep a claim of that size while bursts of others delay them.
//
// # Newcomers
//
// Nor may R lead the requests that wait. The work of a request is not known before it
// has run, so a long and wide one may use far more than the share of its queue. Until R
// has reached that queue, the others together are behind R by as much. They get it
// back, but a queue that becomes active in the meantime would start at R, after all
// requests that wait. Therefore R stops, while requests wait, at
//
//	min(S + W) - G,   the minimum over the queues with a waiting request
//
// It does not move back if the minimum falls. In start-time fair queuing a flow that was
// idle starts where the packet in service did (Goyal, Vin and Cheng, IEEE/ACM
// Transactions on Networking 5(5), 1997). Here it starts at R, which stays between that
// and a second of the share before.
//
// R stops G before the end of the first request, not at its start. Every W is at least
// G, so a request that arrives while R stands still does not end before the first one, and on a tie
// it comes last. Otherwise newcomers could take, one after the other, the seats that are collected
// for a wide request.
//
// The wait of a flow that uses less than its share is bounded. Let a request r of one seat arrive
// whose flow has none that waits. Its S is not beyond R, so it has used no more than R
// advanced. Let
//
//	X    be the work that is left of the requests that execute,
//	M(j) the largest work of a request that waits of another flow j,
//	w    the largest width of these requests, at most C.
//
// Then r waits at most
//
//	(X + sum of M(j)) / (C - w + 1)
//
// Proof. In the fair schedule r ends at R + G, and the heads of the other queues end
// there or later. A request that arrives later does too, since R does not move back, and
// comes after r. When a request of flow j starts, S of j grows by at least G, so the
// next one of j ends later than r. Hence at most one request of each j starts before r.
// While r waits, the first request of the schedule, which is r or one before it, does not
// fit. So at least C - w + 1 seats are in use, by requests that executed when r arrived
// or started before it.
//
// A request of v seats ends at R + v * G, so up to v requests of each flow may start
// before it. A request that runs for less than G returns the rest of its W, which may
// let one more of its flow start. TestANewcomerWaitsAtMostAsLongAsProved compares waits
// with the bound, and the tests of newcomer_test.go with those in the library's engine.
//
// # Widths and limits
//
// The width of a request is max(initial seats, final seats). It starts when so many
// seats are free. If the request that is first in the schedule does not fit, the free seats are
// kept for it, so that wide requests are not starved. After each event another request may be
// first: the request of a queue that just became active may be due earlier, and then does not wait
// for the wide one. A request that is wider than C starts when no seat is in use. Final seats
// beyond C are reduced to C, and the additional latency is extended so that the seat-seconds stay
// the same. With C = 0 nothing starts.
//
// Seats that are kept free are charged to no queue. R counts seats in use, so it does
// not advance by them. Nor is the wide request charged. What is shared fairly is what
// requests use, and how long it takes to collect seats depends on the requests of
// others.
//
// # Overtaking
//
// Collecting seats wastes some of them each time, so they are collected for several
// wide requests at once. While at least two requests wait that do not fit, requests
// that fit and are due soon overtake them. The wide ones fall behind until several
// of them are due one after the other and use the same collected seats. Let B be how
// far they may fall behind. The part of the seats that is wasted is proportional to 1/B. But B must
// be less than a second, the most that R may lag, since a claim beyond that is forgotten. B is half
// a second of the share. Once seats are collected, nobody overtakes until the wide ones have caught
// up an eighth of B, so that several of one flow use them. A wide request that is alone is not
// overtaken: it would wait, and nothing would be saved.
//
// While the first request has been overtaken and still waits, R does not stop G before
// its end but B after it. Otherwise R would stand still, and requests of newcomers would
// be due soon for ever. R may lead by B until the minimum has reached it, and the work
// that starts before the request of a newcomer grows by B of each queue, C * 0.5 s.
//
// Shares with and without overtaking are compared by
// TestTheSameArrivalsAreServedCloserToMaxMinThanByThePeer and
// TestClientsThatWaitAreServedCloserToMaxMinThanByThePeer, which fail without it.
//
// # Full levels
//
// At most Queues * QueueLengthLimit requests of the level wait, and at most HandSize *
// QueueLengthLimit of one flow, as many as the queues of the level and of a hand hold where a level
// has so many queues for all flows. On a level where as many wait as may, the request that ends last
// in the fair schedule is rejected, be it the new one or one that the new one displaces. On a tie it is
// the new one. The last request of a queue ends at its S plus the W of all that wait there. McKenney
// takes from the longest queue of packets (Stochastic Fairness Queuing, IEEE INFOCOM 1990), and Suter,
// Lakshman, Stiliadis and Choudhury compare such rules (Design Considerations for Supporting TCP with
// Per-flow Queueing, IEEE INFOCOM 1998). Here the length is in work, and what the flow owes counts.
//
// So no number of other flows takes the place of a flow that uses less than its share. Let r be as in
// the section before, of a flow that executes nothing. As long as a flow has two requests that wait,
// or one and an S beyond R, r is not rejected, neither at its arrival nor while it waits.
//
// Proof. r ends at R + G of its arrival, which is not later than R + G now. The head of another queue
// ends at R + G now or later. If its S is beyond R, or if another request follows that ends at least G
// later, then the last one ends later than r, and so r is not the last of all. (After an overtaking,
// see below, R may lead the heads by B, and the rest by as much.)
//
// The order of the ends is made when a level is full, and kept until a quarter of its places is free.
// It has S as it will be at a time within G from now, if all go on that execute. So no time changes it,
// and it is wrong by at most G for each seat that a flow uses, to the advantage of flows without any.
//
// # Clients that return or leave
//
// A rejected client is told to return at a time of its own. The clients of a flow return one after the
// other, as fast as its last requests were dispatched, from when half of its requests that wait are
// gone, served or not. So no seat is free while rejected clients wait, and few are rejected again.
//
// What executes when its client has left is wasted. Let L be how long few requests of a flow execute
// for longer. A request that would execute for L when its deadline comes is passed, which moves it to
// the end of its queue. The client that left last while it waited tells the patience of the others too.
// Then the client of a request that was passed leaves, or it has more patience, and the
// request is served when it comes first again.
//
// # What is remembered
//
// A queue exists while its flow is active, holds seats for an additional latency, or has an S beyond
// R. The latter are at most maxDebts that count, and as many that do not. So memory follows the
// requests that wait and execute, not the flows that were seen. A flow whose debt is forgotten starts
// at R, like a new one: the bounds above hold for all others. A client gains the same if it changes the
// name of its flow for each request: it owes nothing, and has a share for each name whose request
// waits or executes. A user or namespace gives a flow its name, so whoever can do this makes users or
// namespaces.
//
// Dumps and rejections show the queue of a flow by a number: the first one of the hand that the
// library deals to it. Flows with the same number share nothing.
//
// # Two regimes
//
// As long as seats are free no request waits, the ideal and the real world agree, and
// no order is needed. A Set is then open: a pool spreads its free seats over shards. A
// request takes seats from a shard under the lock of the shard and returns them there, so that
// processors do not share a lock. Half of the seats are in reserve at first, for shards that need
// more, under the lock of the Set. When the reserve is empty, a request that finds too few seats in
// its shard tries the other shards. So seats go where requests arrive, and stay there, and below
// saturation the lock of the Set is rarely needed, also when there are fewer seats than shards.
// Seats that are held for an additional latency return to the shard too. When the Set closes, it
// takes them over.
//
// When a request finds too few seats in all shards and in the reserve together, the
// Set closes: it takes back the seats of the shards and assigns each executing request
// to the queue of its flow as if it had been dispatched at that moment. Seats used while the Set was
// open are not charged. From then on one lock guards everything, and a fair queue
// follows the rules above.
//
// Closing takes time in proportion to the seats in use and the shards. The Set opens again
// when no request waits and either a quarter of the limit is free, and two seats for each
// shard, which have to be used up before it closes, or one seat is free and for some time
// no request has waited: during twice as many arrivals and ends as there are seats in use
// and shards.
//
// A change of the limit does not close the Set. It gives seats to the reserve, or takes
// free ones. The Set closes if more seats are in use than the new limit.
//
// # Locks
//
// State that a lock guards is reachable only through the handle that taking the lock
// returns, see package guarded: *lockedSet for the lock of a Set, *lockedShard for a shard's. The
// lock of the Set comes before a shard's. No two shards are locked at once.
package queueset
