// Package estimate estimates the work of a request, in seats, before it executes. An
// Estimator estimates lists, and watches that begin with one. There are three: ByCount and
// BySize are formulas, as each release of kube-apiserver has one, and Learned measures. Write
// estimates writes.
//
// # Reads
//
// A list takes one seat for each 100 objects that the server handles. With n stored
// objects of the type and pages of p objects (p = n without a limit), these are
//
//   - from the watch cache n, because it examines every object, whatever the limit;
//   - from etcd 2p, because a page is read, decoded, and encoded again;
//   - from etcd with a selector n + p, because reading continues until the page is full,
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
// If s is not known, it is 1,500,000, the largest object that etcd takes. The list may then take up
// to 100 seats, instead of 10, and more than 10 only if etcd serves it.
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
//	this server,  100 objects   10        one seat     sendInitialEvents=true; without
//	 by count                                          sendInitialEvents, resourceVersion unset or 0
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
// So an estimate is bounded by the largest width on the level, see
// LevelConfig.MaxWidth of package engine, and by 10 seats. For a read the bound loses nothing: the actual
// duration is known afterwards, and charged. The work after a write is only known by
// its estimate, so it is kept: s seats for 5 ms become max seats for s*5ms/max.
//
// # Learning what lists take
//
// A History remembers how much memory lists took. Formulas guess it from what is
// stored. They do not know how much of it a selector or a namespace chooses, how large
// the objects of that namespace are, or how the response is encoded.
//
// # What is measured
//
// The caller measures the bytes that one list had in memory at one time: for a list
// from storage the objects that were read, which are in memory as a whole, whatever a
// selector chooses of them; for a list from a cache, which is encoded object by object,
// the response, but at most 1,000,000 bytes; and for a response that is encoded as a
// whole, that response. Time is no part of it. The engine charges seats for as long as
// the list executes, so a list that holds its memory for twice as long costs twice as
// much anyway.
//
// # Kinds
//
// Lists of one kind are expected to take the same. A kind is made of the type, the source
// (cache or storage), the scope (all namespaces or one), the selectors (none, labels,
// fields, both, one name), the limit in steps of a factor of four, and whether the
// response is encoded as a whole. These are the properties that a client chooses, and
// that change what a list takes by orders of magnitude. A client that sends small lists
// of one kind does not make its lists of another kind cheap.
//
// # Estimate
//
// A kind keeps the sizes of its last lists, in bytes, in a histogram of factors of the
// square root of two between 100,000 and 20 million. Each new list takes a quarter off
// the weights of all before it, and ten minutes take half. The estimate s is a quantile
// of the bytes, not of the lists: the smallest size such that lists that are larger took
// at most a tenth of all bytes. With n lists of sizes b_1 ... b_n, b_n the latest, at
// times t_1 ... t_n, and H = 10 minutes:
//
//	w_i = 0.75^(n-i) 2^((t_i-t_n)/H)
//	c_i = min(max(b_i, 100,000), 10,000,000)
//	s   = min { x : sum of w_i c_i over b_i > x  <=  0.1 sum of w_i c_i }
//
// Less than 100,000 bytes take no less than a seat, and more than 10 million no more than
// the most seats of a list. So the sizes that count differ by a factor of 100 at most.
// The histogram knows s up to the width of a bucket, and exactly if all sizes in a
// bucket are equal. It follows:
//
//   - Up in one list. The weights of the lists before are at most
//     0.75 + 0.75^2 + ... = 3. So a list of size B after lists of sizes below B has more
//     than a quarter of the bytes, and s = B.
//   - Down within 24 lists. After lists of size B = rb, k lists of size b have the
//     weight 4 (1 - 0.75^k) and those before 4 * 0.75^k. These have a tenth of the bytes
//     when 0.75^k = 0.1/(0.9r + 0.1). So k is 11, 16 and 24 for r = 2, 10 and 100, and
//     6, 11 and 19 after a single list of size B.
//   - Small lists do not make large ones cheap. To lower the estimate, a client sends
//     that many small lists after each large one, and each of them is charged the large
//     estimate. A mean would be lowered by them all the time, and a quantile of the lists
//     by sending ten small ones with each large one.
//
// # What was never seen
//
// The caller passes the bytes of a formula as the prior; a response that is encoded as a
// whole has no bound in it. The prior is a floor until three lists of the kind were
// measured, again when these are forgotten, at most 10 minutes after the last list, and
// while it is more than twice what it was when the last list was measured, because more
// is stored now. A list that takes more than its estimate raises the estimate while it
// still executes: lists that arrive meanwhile are charged for it.
//
// # What is not measured yet
//
// The same holds for lists that execute, since nothing says that they take what others of their
// kind took: a kind is shared by all namespaces, and one of them may be large. Let p_i be the seats of
// the formula for list i, at most 100, and e_i the seats that it was charged, without the bounds of
// levels. On a server of S seats, the lists that wait or execute satisfy
//
//	sum of p_i - e_i over p_i > e_i  <=  S
//
// A list that would exceed S is charged p_i, unless it is the only one that is not measured. So lists
// take, by the formula, at most 2 S seats, whatever their kinds and however many come at once. Where
// the formula agrees with what was learned, nothing changes. A watch counts until it has sent its
// initial events. Lists of exempt levels do not count, since no estimate bounds them.
//
// # Bounds
//
// Memory is bounded by the types, not by the clients: a type has at most 280 kinds of
// 384 bytes, and a table of 2,304. At most 256 types are learned, so all take less than 29 MB; two
// types whose lists are of five kinds take 9 KB. If there are more types, a new type replaces one
// without a measured list for an hour, or else the estimate is the prior. Only types that the
// caller stores count. No client adds any.
//
// An estimate takes no lock: it loads the table of the types, a kind, and three numbers.
// An observation takes the lock of its kind. Times are passed in.
package estimate
