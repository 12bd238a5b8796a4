// Package estimate says in advance, in seats, what a request will cost. It
// works on plain values; all its functions are pure.
//
// # Reads
//
// A list costs one seat per 100 objects that the server handles for it. With n
// objects of the type stored and pages of p objects (p = n without a limit):
//
//   - From the watch cache every object is looked at, whatever the limit: n.
//   - From etcd a page is read and decoded, and written again: 2p.
//   - From etcd with a selector, reading goes on until a page has been found,
//     in the worst case to the end, and the page is written: n + p.
//
// A watch that begins with the present state is such a list from the cache.
// Everything else that only reads costs one seat.
//
// # Writes
//
// Every watcher of the object hears of a change after the response has left,
// and each takes a tenth of a seat for 5 ms. So w watchers take ceil(w/10)
// seats for that long. Below 10 watchers this is neglected.
//
// # Width
//
// While a wide request waits for its seats, those that are free already stay
// unused. So no estimate is wider than the width of the level, see package
// prioritylevel, nor than 10 seats. For a read this is a plain bound: what its
// execution takes is known afterwards, and charged. The work after a write is
// known only by estimate, so its area is kept: seats beyond the bound become
// time, s seats for 5 ms being the same as max seats for s*5ms/max.
package estimate
