// Package queueset decides, for one priority level, which request may start now. It is fair queuing for
// requests whose cost is unknown, over a limited number of seats, by tenant and flow.
//
// # Terms
//
// A level has C seats. A flow is what the flow schema and its distinguisher name. A tenant is a group of
// flows; a flow without one is a tenant of its own. A flow is active while a request of it waits or
// executes. The work of a request is its seat-seconds. M(j) is the work that a request of flow j has taken on
// average, or that first requests of flows took where nothing is known of j.
//
// One schedule serves the tenants of a level, and one the flows of each tenant. They follow the same
// rules, so the rest of this comment says flow for what a schedule serves.
//
// # Virtual time
//
// V is what a flow of weight 1 has been owed since the schedule began, in seat-seconds, of what was used. While requests wait
//
//	dV/dt = max(U / w(active), (U - u) / w(waiting))
//
// U is the number of seats in use, w the sum of the weights of flows, u the seats in use by flows without a request
// that waits. With C in place of U, all flows would fall behind V while seats are collected for a wide request. The
// first term shares U among the active flows. The second is larger when some of these use less than
// that: what they do not ask for goes to the others. The maximum is never more than the max-min fair
// rate, and equal to it unless a flow without requests that wait uses more than the rate. Flows that are
// gone do not count, whatever they owe. So neither the number of names seen before nor names that come and go
// slow V down: it depends on who is there now.
//
// S of a flow is what it was given, divided by its weight: what its ended requests took, and what its
// executing requests have used so far or are expected to use, whichever is more. V - S is what the flow
// is owed. A flow with S beyond V owes: it keeps S when it becomes inactive, until V passes.
// When no request waits, all flows have what they ask for, and no flow owes anything.
//
// # Order
//
// The request with the least K starts first. A flow that has several requests waiting has
//
//	K = S + W / weight
//
// where the next request would end, as in weighted fair queuing (Parekh and Gallager, IEEE/ACM Transactions on
// Networking 1(3), 1993) and WF2Q+ (Bennett and Zhang, IEEE/ACM Transactions on Networking 5(5), 1997). W is
// what it is expected to use: its seats for as long as requests of the flow execute on average, in place of the
// unknown cost, as in 2DFQ (Mace et al., SIGCOMM 2016). So narrow requests do not pay for a wide one of their
// flow. A request that arrived while no other of its flow waited is a newcomer. It has K = S, as a task that
// joins EEVDF in Linux has a shorter slice: it starts before flows that are served all the time, without more of
// a share. On a tie the request that arrived first starts first.
//
// # Newcomers
//
// A newcomer has S of at least
//
//	min(V - L, s)
//
// L is 0 for a flow that was inactive: a name that was idle has no claim on what it did not use. A flow whose
// requests execute keeps what it was owed when the last one that waited started. s is the largest reading for which
//
//	sum over the flows j that wait of w(j) * max(0, s - K(j))  <=  sum over the active flows of M(j)
//
// So those before a newcomer get at most one request of each together before it, however much they are owed.
//
// S is raised when the request arrives. So a request that leaves before it is served takes nothing with it: what the flow was
// owed is gone.
//
// Since V counts who is there, those who stay fall behind V where many names use the level for a moment: such names
// take a whole request and are gone before V has given them as much. Then s decides, and newcomers
// would wait for a round. Most newcomers ask for little. So they have a lane: of the seats in use, three
// quarters are theirs before others, where they owe nothing, and less where the others have larger weights. The lane
// is a token bucket of at most two requests of each active flow, and at most a second of the level. A newcomer takes part if the
// bucket has what it is expected to use. A flow that nothing is known of may be a name made for one request, and has
// no history that says whether it asks for little. So such newcomers have a smaller lane within it: the fair rate of
// all flows but those with several requests that wait.
//
// Who arrived first goes first, in the lane and where a newcomer has the least K: s falls when a flow with a large
// M has gone, so a later one may have a smaller K. A newcomer that is expected to use more counts as one that arrived
// later, by at most the time that serves each active flow once.
//
// # What is promised
//
// Rate. Let e have requests that wait all the time. Of what the lane leaves, at least a quarter of the
// level, only flows with a K no larger than K of e are served before it. They are owed at least as much
// as e, less one M of each. New names take only what is the fair rate of others from it. So as long as no more newcomers
// than that use the lane, none falls behind V by more than its M and one request of each of the others. Where
// names that are known, a request of each at a time, ask for all of the lane, the others get a quarter of the
// level, divided by the same rules. And where each new name asks for much more work than M of the
// flows that wait, the bound below lets the new name go first after one or two requests of each, and they get less than their rate.
//
// Newcomer. Let a request r of one seat arrive, of a flow that owes nothing and has no other that waits. Let X be what is left
// of the requests that execute, and w the largest width that waits. Then it waits at most
//
//	(X + 2 * sum of M(j)) / (C - w + 1)
//
// Proof. Before r start those with a smaller K. Flow j is served while S(j) + W(j) is below K(r), so
// it gets at most max(0, s - K(j)) and one request. The first sums up to the sum of M(j) by the choice of s,
// and so does the second. While r waits, the first of the schedule does not fit, so at least C - w + 1
// seats are in use. Newcomers that arrive later have a larger K unless s falls, which it does when a flow
// with a large M has gone; they start before r in the lane only within the time of one request of each flow.
//
// Tenant. A tenant is one entity of the first schedule, and nothing there depends on how many flows it
// has. So two tenants that always ask have the same share whatever the number of their flows.
//
// Weights change at any time. They divide what is used from then on. No position is lost: a flow that
// waits moves to its place by the new weight.
//
// Cost. Flows that wait are in two balanced trees, by K and by the number of requests that wait. An arrival, a
// start, an end and a rejection take O(log n) of n flows. K of a flow grows while its requests
// execute for longer than expected; it is brought up to date when the flow is first.
//
// The constants hold for the average work, which a request may exceed. Package test/search looks for
// arrivals that break these promises; docs/design/schedule-search.md in the repository has the bounds that it holds
// this schedule to, and what it found.
//
// # Widths and limits
//
// The width of a request is max(initial seats, final seats). It starts when so many seats are free. If
// the request that is first does not fit, the free seats are kept for it. So at most width - 1 seats are
// kept. While they are, newcomers may pass it that are expected to use no more than one request does on average.
// A request wider than C starts when no seat is in use. Final seats beyond C are reduced to C, and the
// additional latency is extended so that the seat-seconds stay the same. With C = 0 nothing starts.
//
// Collecting seats wastes some of them, so they are collected for several wide requests at once. While at
// least two requests wait that do not fit, and the first is no newcomer, others overtake it that fit and have a K of at
// most half a second of its fair rate more. None does once the first is owed more than that: newcomers start near its K
// whenever they come. Once seats are collected, none overtakes until the wide
// ones have caught up an eighth of that.
//
// # Full levels
//
// At most Queues * QueueLengthLimit requests of the level wait, and at most HandSize * QueueLengthLimit
// of one flow. On a level where as many wait as may, the tenant with the most requests that wait beyond one, by weight, loses the
// last one of its flow with the most: the longest queue, as McKenney takes it (Stochastic Fairness
// Queuing, IEEE INFOCOM 1990). So a flow with one request that waits loses it only where no other has two.
// Of flows with as many, the one that was given most loses.
//
// # Clients that return or leave
//
// A rejected client is told to return at a time of its own. The clients of a flow return one at a
// time, as fast as its last requests were dispatched, from when half of its requests that wait are
// gone, served or not.
//
// A request that would still execute when its client leaves, by its deadline or by what the last client did that
// left, steps aside for others of its flow. It is served when these are, or when it has waited for longer: then its client has
// more patience. A request whose deadline comes before the shortest of the last executions of its flow would end is rejected
// instead of started. A flow that nothing is known of is taken once for one like others. One that arrives where its flow could not serve it within what clients of the flow have shown to wait is
// rejected at once; nothing is known of that as long as any has waited for longer and was served.
//
// # What is remembered
//
// While requests wait, the 4,096 flows that became inactive last are known, with what they owe and took; while none
// does, 64. So memory follows the requests that wait and execute, not the flows that were seen. A client that changes its
// name for each request owes nothing, and has a share for each name whose request waits or
// executes, within the lane and the fair rate. Tenants take this away, where they are known.
//
// # Lock
//
// One lock guards a level. The state behind it is reachable only through the handle that taking the lock
// returns, see package guarded.
package queueset
