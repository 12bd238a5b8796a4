// Package total recommends the total of a server, in seats, from the load of its machine.
// It is a state machine in virtual time: what it recommends depends on its input alone.
//
// # When the total falls
//
// The total falls when the machine itself is short: goroutines wait for a processor,
// memory is near its limit, or the processor quota is used up, see Signals. It
// does not depend on
//
//   - the latency of requests. Lists, writes, requests that call webhooks and watches
//     that start cannot be compared, so a mean of their latencies follows their mix. To
//     learn the least latency, the total would have to be lowered for a while, at the
//     cost of requests that must not wait, such as leases.
//   - waits in the queues. They follow from the total: a lower total makes them longer.
//   - the speed of etcd. Requests that wait for a slow etcd hold their seats longer, which limits
//     them already. A lower total would delay requests that do not need etcd.
//
// # Steps
//
// Step is called every 10 seconds (Period) with the samples since the last step. A step
// multiplies the total by
//
//	1 - cut,   cut = 0.02 ... 0.10
//
// if a signal is short, and adds 5 % of the static total, but at most 10 % of the total,
// if seats are short and all signals are clear. Additive increase and multiplicative
// decrease converge, and to a fair division where several servers share a machine (Chiu
// and Jain, Analysis of the Increase and Decrease Algorithms for Congestion Avoidance,
// 1989). Each signal has three thresholds. It is clear below the first, and short from
// the second on. The cut grows with the signal, from 0.02 there to 0.10 at the third:
//
//	                      clear    short    severe
//	scheduling latency    20 ms    50 ms    100 ms
//	memory                0.75     0.85      0.95
//	throttling            0.10     0.25      0.50
//
// Go's scheduler lets a goroutine compute for 10 ms. So a goroutine waits that long
// whenever each processor runs a long computation, whatever the total is. At 50 ms several
// others come first. A request needs a processor several times, so it then loses a good
// part of the second that the service-level objective of Kubernetes allows it at the 99th
// percentile. Between clear and short the total stays, so that it comes to rest.
//
// A signal is short by its median in the samples of a step, and clear by its 80th
// percentile. So a single stall, which spoils one or two of ten samples, does not lower
// the total. A signal needs three samples to be known. Unless the scheduling latency is
// known, the total does not rise.
//
// The total that last made the machine short is remembered. Within 10 % of it a step up is a fifth
// of what it is elsewhere. Otherwise the total would swing between the first total that is too high
// and the last that is too low.
//
// # When the total rises
//
// The total rises only while seats are what is short: priority levels with at least a
// tenth of the seats had waiting requests, or all of their seats in use, at least half of
// the time. A level with fewer seats lacks shares, not a larger total.
//
// With nothing to do nothing is learned: the total falls only if as many seats are in use
// as half of its minimum, or seats are short. Otherwise no total that is permitted would
// make the machine any less short.
//
// # Bounds
//
// The total starts at the static total and stays between a minimum and a maximum. It is
// not lowered below the seats that exempt and mandatory priority levels need. Each step
// changes it by at most 10 %, rounded to whole seats, however much time has passed since
// the step before. A call before the Period has passed changes nothing, and neither does
// a clock that goes back.
//
// # Signals
//
// A Machine reads signals that its machine is short of processors or memory. The machine is what
// the process may use: the processors and the memory of its control group (cgroup), or of the host.
//
// SchedulingLatency is the time, in seconds, that a goroutine waited for a processor
// although it could run: the 99th percentile since the last sample. It comes from the histogram
// /sched/latencies:seconds of package runtime/metrics, as the difference of two readings.
//
// Memory is the part of the memory limit that is in use, from 0 to 1. There are two
// limits, and the one that is closer counts.
//
//   - GOMEMLIMIT. A Go program may fill it with garbage before it collects any, so all
//     that it occupies says little. What counts is the memory that a collection does not
//     free: the objects that were live after the last one, stacks, and what the runtime
//     needs. The more of the limit that is, the more often the collector runs.
//   - The limit of the cgroup, or of one that contains it. What counts is the usage without file
//     pages, which the kernel frees on demand: the pages of an embedded etcd alone may fill the
//     cgroup. Where GOMEMLIMIT is not above the limit, the garbage of this process does not count
//     either, since GOMEMLIMIT bounds it.
//
// Throttling is the part of the scheduling periods of the kernel, from 0 to 1, when the cgroup, or
// one that contains it, had used up its processor quota: nr_throttled/nr_periods of cpu.stat since
// the last sample.
//
// # Unknown signals
//
// A signal that cannot be read is unknown, for the reason in its Reading: a file is
// missing, as on other systems than Linux, or no limit is set. A signal is quiet,
// ErrQuiet, if too little happened since the last sample to measure it.
//
// # Files
//
// /proc/self/cgroup names the cgroup, and its files are below /sys/fs/cgroup: version 2's, or
// version 1's where that has the controller. All its parents are read too. In a container the names
// may be the host's, while the files of the container are at the top; parents that do not exist are
// skipped.
//
// # Recommender
//
// A Recommender runs a Controller for one engine. Every second it takes a sample of the machine, and every ten seconds it recommends a total by these
// samples and by what the seats of the engine were used for.
//
// In the mode Monitor the recommendation is shown and nothing follows it. While a sign lasts, the
// recommendation therefore moves on until it reaches a bound: it says whether the total is too high
// or too low, not by how much. In the mode Adaptive the recommendation becomes the total of the
// engine.
package total
