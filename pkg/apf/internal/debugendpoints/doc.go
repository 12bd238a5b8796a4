// Package debugendpoints serves the present state of the engine, under
// /debug/api_priority_and_fairness/:
//
//	dump_priority_levels   one row per priority level
//	dump_queues            one row per queue; of queues without requests at most 100,000
//	dump_requests          one row per request, waiting or executing;
//	                       ?includeRequestDetails=1 adds user, verb and object
//	top_flows              one row per flow that used much of its priority level in the
//	                       last 1, 5 or 15 minutes: seat-seconds, see package heavyhitters
//	rejections             one row per flow and reason: the last rejections, see package
//	                       rejections
//	list_costs             one row per kind of list: what was learned, see package estimate
//
// In the text format, dumps have the columns of k8s.io/apiserver, for scripts that parse
// these. Names and paths that are longer than 512 bytes are cut in the last two. A
// client that accepts application/json gets the same rows as a JSON array of objects.
// Requests of a tenant with several flows have the field tenant there.
// Rows are ordered by level, queue, index in the queue (-1 for executing requests) and
// arrival.
//
// Levels are read one at a time, and a level in small steps; requests may come and go between
// them. So rows are not of exactly the same time.
//
// While a level has free seats no request is in a queue. Its executing requests are shown
// in the queues of their hands that they would get if seats ran short now.
package debugendpoints
