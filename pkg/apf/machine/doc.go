// Package machine reads the signals by which a process learns that its machine is short
// of processors or memory. A machine in this sense is what the process may use: the
// processors and the memory of its control group (cgroup), or of the host.
//
// # Signals
//
// SchedulingLatency is the time, in seconds, that a goroutine waited for a processor
// although it could run: the 99th percentile since the last sample. It comes from the
// histogram /sched/latencies:seconds of package runtime/metrics, of which two readings
// are subtracted.
//
// Memory is the part of the memory limit that is in use, from 0 to 1. There are two
// limits, and the one that is closer counts.
//
//   - GOMEMLIMIT. A Go program may fill it with garbage before it collects any, so all
//     that it occupies says little. What counts is the memory that a collection does not
//     free: the objects that were live after the last one, stacks, and what the runtime
//     needs. The more of the limit that is, the more often the collector runs.
//   - The limit of the cgroup, or of one that contains it. What counts is the usage
//     without file pages, which the kernel frees on demand: those of an embedded etcd
//     alone may fill the cgroup. Where GOMEMLIMIT is not above the limit, the garbage of
//     this process does not count either, since GOMEMLIMIT bounds it.
//
// Throttling is the part of the scheduling periods of the kernel, from 0 to 1, in which
// the cgroup, or one that contains it, had used up its processor quota:
// nr_throttled/nr_periods of cpu.stat since the last sample.
//
// # Unknown signals
//
// A signal that cannot be read is unknown, for the reason in its Reading: a file is
// missing, as on other systems than Linux, or no limit is set. A signal is quiet,
// ErrQuiet, if too little happened since the last sample to measure it.
//
// # Files
//
// /proc/self/cgroup names the cgroup, and its files are below /sys/fs/cgroup: those of
// version 2, or of version 1 where that has the controller. All its parents are read
// too. In a container the names may be those of the host, while the files of the
// container are at the top; parents that do not exist are skipped.
package machine
