// Package filter is the flow control filter for an http.Handler. It replaces
// WithPriorityAndFairness of k8s.io/apiserver, with the same behaviour towards
// clients at a fraction of the cost, and takes its place in the handler chain:
// after authentication and after the filters that add the RequestInfo and the time
// of arrival.
//
// # Requests
//
// A request is classified, its work is estimated, and it acquires its seats, at
// once or after waiting in a queue. Then it executes. If it gets no seats, it is
// rejected with 429 and a Retry-After. All of this happens on the goroutine that
// serves the request. A request that does not wait needs no context, timer or
// channel of its own.
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
// after. The storage says so through the InitializationSignal in the context of the
// request, whose Signal releases the seats on the calling goroutine: the filter
// needs no goroutine to wait for it.
//
// A handler that ends or panics without Signal, because the watch never reached the
// storage or because another server serves it, releases the seats at its end. They are
// released once.
//
// A handler may hang before the first event, for as long as its client stays: the watch cache
// of its type cannot be filled. The seats are released when any other request would end, after
// four times WaitLimit.
//
// # Lists
//
// Options.ListCost says what a list costs: by the number of stored objects, by their size, or by
// what these lists took. Then the filter measures each list that succeeds. Its response writer
// counts the bytes of the body, and the largest Write, which is the whole body if the library does
// not encode it object by object. The library compresses bodies in the handler. Only the size
// before compression matters, and gzip writes it at the end of the body: RFC 1952, ISIZE. A list
// from etcd holds in memory all objects that it reads, not only the objects that it sends; the
// storage counts them by CountRead.
//
// # Rejections
//
// Clients that are rejected together and told to wait equally long would return
// together. So Retry-After is drawn at random between a base and twice the base, in
// seconds. Each priority level has its own base b, from 1 to 16. It is adjusted
// every b seconds: it doubles after three or more rejections per second, and
// decreases by one after less than one per second.
//
// The response does not say why: names of flow schemas and priority levels may be
// confidential. Options.Explain decides who is told. Audit events say it too, see
// Options.Annotations.
package filter
