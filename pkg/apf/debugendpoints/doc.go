// Package debugendpoints shows what the engine holds at the moment, under
// /debug/api_priority_and_fairness/:
//
//	dump_priority_levels   one row per priority level
//	dump_queues            one row per queue
//	dump_requests          one row per request, waiting or executing;
//	                       ?includeRequestDetails=1 adds who wants what
//
// The text form has the columns of k8s.io/apiserver, so that scripts made for
// that read ours. A client that accepts application/json gets the same rows as
// a JSON array of objects. Rows are ordered: by level, then queue, then place
// in the queue (executing requests first, as place -1), then arrival.
//
// Levels are read one after the other, each under its own lock for as long as
// it takes to copy; no request of another level waits. Two levels are therefore
// not seen at quite the same moment.
package debugendpoints
