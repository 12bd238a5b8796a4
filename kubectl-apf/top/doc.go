// Package top answers who holds the seats now: by priority level, by flow, or by
// request, over all replicas together.
//
// # Figures
//
// Every replica enforces the levels separately, so seats, limits, requests and rates
// are added up over the replicas; the oldest wait is the longest of all replicas. Seats, limits and
// numbers of requests come from /metrics, so they equal the sum of a scrape. If a replica does
// not report its metrics, its dumps are used instead, and limits stay unknown. What could not be read
// is in Origin.
//
// A rate needs two samples of a replica. It is the increase of its counters divided
// by the time between the readings; a counter that became smaller belongs to a server
// that was restarted, and has increased by its value.
//
// # Flows
//
// A flow is a flow schema together with a flow distinguisher. flowcontrol-apiserver
// reports the seat-seconds that its heaviest flows used in the last minute
// (/debug/api_priority_and_fairness/top_flows). Of other servers, only the requests of
// this moment are known (dump_requests): the seats that a flow holds.
//
// # JSON
//
// The fields of Levels, Flows and Requests are the output of -o json. Fields are only
// added. Unknown figures are null. Times are in seconds, shares of the server in seats.
package top
