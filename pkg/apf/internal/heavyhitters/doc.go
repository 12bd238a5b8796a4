// Package heavyhitters finds the flows of a priority level that use the most
// seat-seconds, over the last minute, 5 and 15 minutes, in bounded memory.
//
// # Summaries
//
// A summary counts the weights of flows by Space-Saving (Metwally, Agrawal, El Abbadi:
// Efficient Computation of Frequent and Top-k Elements in Data Streams, ICDT 2005). It
// has k = 100 counters. A weight is added to the counter of its flow. A flow without a
// counter gets a free one. If none is free, it takes over the counter with the least
// sum m: the sum stays and grows by the weight, and m is its excess. So
//
//	sum - excess <= true weight <= sum
//
// A flow without a counter has at most the last m, since m never decreases. The sums of
// all counters add up to the total weight W, therefore m <= W/k: the excess is at most
// 1 % of what the level used, and each flow that used more than 1 % has a counter. While
// there are at most k flows, every sum is exact.
//
// A heap orders the counters by sum. A sum only grows, so the heap may hold an older
// value. It is updated for the least one alone, when a flow takes over its counter.
//
// # Windows
//
// Time is divided into quarter minutes, and each has a summary. When a minute has passed,
// its summaries are merged into one. A window ends now. It consists of the current and
// the preceding quarter minutes, or the quarters of the current minute and the preceding
// minutes. Of the oldest quarter or minute, which is only partly in the window, it takes
// that part, as if weights were spread evenly over it.
//
// Summaries are merged by adding sums and excesses. For a flow that has no counter in one
// of them, m of that summary is added to both (Agarwal et al.: Mergeable Summaries, PODS
// 2012). Of the merged counters the k largest are kept, and the largest other sum is the
// new m. The excess is at most 1 % of the total again. The same holds for the new m: of
// each summary, the k kept counters have either its sums or its m, and as many of its
// counters, with m or more, are not kept as m is used. So the k sums add up to at most W,
// and no other sum is more than W/k.
//
// The excess in a window is therefore at most 1 % of what the level used in it. The even
// spread of the oldest part is not included.
//
// # Units
//
// Weights are seat-nanoseconds, results seat-seconds. Times are since the origin of the
// engine's clock.
//
// # Memory
//
// A summary holds 64 bytes for each flow, and of a flow distinguisher the first
// maxDistinguisher bytes. There are 20 summaries. They grow with the number of flows and
// are used again, so counting allocates nothing; merging the quarters of a minute does,
// once a minute. Flows are identified by a 64-bit hash with a random seed.
package heavyhitters
