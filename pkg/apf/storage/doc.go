// Package storage keeps lists from overwhelming etcd and the memory of the server while the
// watch cache lags.
//
// # The problem
//
// Flow control estimates a list of the latest state as a read from the watch cache, which
// shares its objects between lists: a few seats. If the cache does not reach etcd's revision
// within three seconds, or is not filled yet, k8s.io/apiserver reads the list from etcd
// instead. Then each list decodes a copy of all objects of its own, with the few seats that it
// has. The slower etcd gets, the more lists fall back.
//
// # The solution
//
// Reads.Decorator makes the library's watch cache, and puts a layer below its fallback. The reads
// that fill the cache do not pass it. A list that was estimated as a read from the watch cache, and
// reaches the layer,
//
//  1. gives its seats back;
//  2. joins the lists that are identical: the same key and the same options;
//  3. waits until the identical read that executes, if any, has ended;
//  4. asks for the seats of a read from etcd, which wait in the queue of its own flow;
//  5. reads, if it is the first of the lists that it joined to get its seats. The others
//     withdraw from their queues, and wait for its result;
//  6. asks for its first seats again, if it did not read, and returns a copy of the list,
//     whose objects are shared like the objects of the watch cache.
//
// A list that gets no seats is rejected with status 429. Until a quarter of its time is over, it
// waits for another list to read for it. A flow has at most filter.MaxVacant lists, and a level as many as may wait there, that are
// anywhere between 1 and 6.
//
// A list that was estimated as a read from etcd has seats for it, and reads at once. One that
// names an object without its namespace was not: it was estimated as a read of one object, and
// reads all. A list without flow control, such as one that the server itself makes, exchanges no
// seats, but shares reads. So does a list within another request, such as a deletecollection.
//
// # Freshness
//
// A list joins others only before their read starts. So the read starts after each of them
// arrived, and etcd answers it with a state that is at least as recent as the latest at that
// time: its reads are linearizable. With a resourceVersion, a limit or a continue token the
// results are identical since these options are. The other options are the same for all lists of
// a resource, or concern only watches.
//
// The objects of a shared list must not be changed, like those from the watch cache.
//
// # No deadlock
//
// A list waits for three things: seats, an identical read that executes, and the result of the
// read that it joined. It gives its seats back before each of these waits. Hence a list that holds
// seats waits for none of them: it executes, and ends as it does without this package, when etcd
// answers or its deadline passes. Its seats and its result are then there for the waiting ones. A
// request that exchanges no seats may hold some while it waits. It waits only for reads that
// execute, and these do not wait: their reads use their seats.
//
// A wait for seats is bounded by a quarter of the time to the deadline, the other waits by the
// deadline. One request that reads two resources at once does so one at a time, since the
// second read might otherwise give back the seats of the first.
//
// # Clients that disconnect
//
// The read continues while any list that joined it waits. If the client of the list that started it
// leaves, or its deadline passes, that list ends, and hands its seats over to the read. The read
// ends with the last of its lists. A list that has left starts none.
package storage
