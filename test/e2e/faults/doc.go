// Package faults breaks what is inside a server, or right beside it, one fault after the
// other: panics, requests that clients give up, memory, file descriptors, a full disk for
// audit events, a collector of traces and a webhook that fail, and an etcd that is slow or
// answers errors or garbage. After each fault the server reads and writes again, no request
// holds a seat or waits in a queue, and goroutines are as many as before.
//
// All tests are in the short lane; beside the start of their servers they take, on a
// machine with two processors:
//
//	requests that clients give up, at four stages     4 s
//	an etcd that is slow, that breaks connections
//	or that answers garbage                           6 s
//	file descriptors used up                          1 s
//	webhook answers                                   1 s
//	panics                                            1 s
//	a cluster of etcd that loses its quorum          20 s
package faults
