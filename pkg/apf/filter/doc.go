// Package filter is flow control in a handler chain of k8s.io/apiserver, whose
// WithPriorityAndFairness calls Handle. Two more filters add what the library does not pass to
// Handle, and answer rejected requests: Around goes around the chain, Inside goes into it. Handler combines
// all three for a program without such a chain.
//
// # Requests
//
// A request is classified, its work is estimated, and it acquires its seats, at
// once or after waiting in a queue. Then it executes. If it gets no seats, it is
// rejected with 429 and a Retry-After.
//
// A request waits for at most a quarter of its deadline, counted from its arrival
// at the server, and for at most a minute.
//
// Long-running requests bypass flow control, except watches.
//
// # Watches
//
// A watch begins with events for the present state, as many as a list has objects.
// It holds its seats until the storage has sent these initial events, and none
// after. The storage signals this through the InitializationSignal in the context of the
// request. A handler that ends or panics without it, because the watch never reached the
// storage or because another server serves it, releases the seats at its end.
//
// A handler may hang before the first event, for as long as its client stays: the watch cache
// of its type cannot be filled. The seats are released when any other request would end that the server
// received at the same time, but not before the watch has had them for as long as a request may wait.
//
// # Lists
//
// Options.ListCost selects what a list costs: by the number of stored objects, by their size, or by
// what these lists took. Then Inside measures each list that succeeds. Its response writer
// counts the bytes of the body, and the largest Write, which is the whole body if the library does
// not encode it object by object. The library compresses bodies in the handler. Only the size
// before compression matters, and gzip writes it at the end of the body: RFC 1952, ISIZE. If the client
// leaves before the end, the size is the formula's, and no less than the estimate. A list
// from etcd holds in memory all objects that it reads, not only the objects that it sends; the
// storage counts them by CountRead.
//
// # Rejections
//
// Retry-After is when the flow of the client will be served again, from the waiting requests and the answers to other
// clients: see promises of package queueset. So clients that are rejected together
// return one at a time.
//
// The response has no reason, because names of flow schemas and priority levels may be
// confidential. Options.Explain decides which users get it. Audit events have it too, see
// Options.Annotations.
package filter
