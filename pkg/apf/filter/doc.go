// Package filter puts the engine in front of an http.Handler, in place of
// WithPriorityAndFairness of k8s.io/apiserver: the same behaviour towards
// clients at a fraction of the cost.
//
// It belongs where that one is, after authentication, and behind the filters
// that add the RequestInfo and the time of arrival.
//
// # A request
//
// It is classified, its work is estimated, it gets its seats, now or after
// waiting, and executes; or it is refused with 429 and a Retry-After. All of
// this happens on the goroutine that serves it, and a request that gets its
// seats at once makes no context, timer or channel for waiting.
//
// A request waits for at most a quarter of the time that it has in all,
// counted from its arrival at the server, and never more than a minute.
//
// Long-running requests are not governed, apart from watches.
//
// # Watches
//
// What a watch costs is its beginning: the events that show the present state,
// which may be as many as a list has objects. So it keeps its seats until the
// storage says that these are sent, and then only the connection. The storage
// says so through the InitializationSignal in the request's context. As ours
// gives the seats back by itself, from whatever goroutine it is called, the
// filter needs no second goroutine to hold them.
//
// A handler may return, or panic, without having said anything: it never
// reached the storage, or the request went to another server. Then the seats
// come back when the handler has ended. Both ways go through one sync.Once, so
// they come back once, and the filter does not return while this is under way.
//
// # Refusals
//
// Clients that are refused together and told to wait as long as each other
// return together. So the seconds of Retry-After are drawn at random, between a
// base and twice the base. The base belongs to the priority level: it doubles
// when, on average of the last so many seconds, three or more requests were
// refused per second, and shrinks by one when it was less than one per second.
package filter
