// Package estimate estimates the work of a request, in seats, before it executes. All
// its functions are pure.
//
// # Reads
//
// A list takes one seat for each 100 objects that the server handles. With n stored
// objects of the type and pages of p objects (p = n without a limit), these are
//
//   - from the watch cache n, because it examines every object, whatever the limit;
//   - from etcd 2p, because a page is read, decoded, and encoded again;
//   - from etcd with a selector n + p, because reading goes on until the page is full,
//     in the worst case to the end, and the page is encoded.
//
// A watch that begins with the present state is a list from the watch cache. All other
// reads take one seat.
//
// # Writes
//
// Each watcher of the object is notified after the response, which takes a tenth of a
// seat for 5 ms. So w watchers take ceil(w/10) seats for 5 ms. Fewer than 10 watchers
// are neglected.
//
// # Width
//
// While a wide request waits for its seats, seats that are already free stay unused.
// So an estimate is bounded by the largest width on the level, see package
// prioritylevel, and by 10 seats. For a read the bound loses nothing: the actual
// duration is known afterwards, and charged. The work after a write is only known by
// its estimate, so it is kept: s seats for 5 ms become max seats for s*5ms/max.
package estimate
