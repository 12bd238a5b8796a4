// Package estimate estimates the work of a request, in seats, before it executes. All
// its functions are pure. List and Write are what this server uses. Estimator is the
// same for each release of kube-apiserver, for those who predict what it does.
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
// # Reads by size
//
// kube-apiserver 1.34 and later counts the bytes that a list has in memory at one
// time: one seat for each 100,000. With n stored objects of s bytes on average and
// pages of p objects (p = n without a limit), these are
//
//   - from the watch cache p s, but at most 1,000,000, because the response is encoded
//     object by object;
//   - from etcd p s;
//   - from etcd with a selector max(p, n/2) s, n/2 rounded down, because objects that
//     do not match are decoded too;
//   - for one object, named by a field selector, s.
//
// If s is not known, it is 1,500,000, the largest object that etcd takes. Such a list
// may take up to 100 seats, instead of 10, and more than 10 only if etcd serves it.
//
// # Releases
//
// With default feature gates, from pkg/util/flowcontrol/request and, since 1.33,
// pkg/storage/cacher/delegator of k8s.io/apiserver (v0.29.15, v0.30.14, v0.31.14,
// v0.32.10, v0.33.13, v0.34.13, v0.35.10, v0.36.6, v0.37.2):
//
//	release       a list costs  at most   a list of    watches that cost as a list from the cache
//	              one seat for  seats     one name
//	1.29 to 1.31  100 objects   10        one seat     none
//	1.32          100 objects   10        one seat     sendInitialEvents=true
//	1.33          100 objects   10        one seat     none
//	1.34          100,000 bytes 100       as above     sendInitialEvents=true
//	1.35 to 1.37  100,000 bytes 100       as above     sendInitialEvents=true; resourceVersion unset or 0
//	this server   100 objects   10        one seat     sendInitialEvents=true; without
//	                                                   sendInitialEvents, resourceVersion unset or 0
//
// The feature gates are WatchList (watches; default on in 1.32 and since 1.34) and
// SizeBasedListCostEstimate (bytes; default on since 1.34).
//
// The watch cache serves a list, otherwise etcd:
//
//	list                                       1.29, 1.30 | 1.31 and later, this server
//	resourceVersion unset                      etcd       | cache
//	resourceVersion=0                          cache      | cache
//	resourceVersion=N                          cache      | cache
//	resourceVersion=N and limit                etcd       | etcd
//	resourceVersionMatch=NotOlderThan, limit   etcd       | cache
//	resourceVersionMatch=Exact                 etcd       | etcd
//	continue                                   etcd       | etcd
//
// These are the rules of the estimate. Since 1.34 snapshots of the watch cache may
// serve an exact version or a continuation; the estimate does not consider them.
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
