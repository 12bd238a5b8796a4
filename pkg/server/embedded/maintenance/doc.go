// Package maintenance keeps the store of an embedded etcd small, writable and backed
// up while its server runs.
//
// # Space
//
// The database of etcd grows to its quota and then rejects writes that need space:
// the alarm NOSPACE. Reads and deletions go on. Every write keeps the version before
// it until compaction, which k8s.io/apiserver does every --etcd-compaction-interval;
// compaction frees pages inside the file, which later writes use, and only
// defragmentation makes the file smaller.
//
// SpaceKeeper looks at the sizes once a minute. It defragments, at most once an hour,
// if more than half of a file of at least 64 MiB is free, or if the file is near the
// quota and a tenth of the quota is free. Etcd answers nothing while it is
// defragmented: about three seconds for each 100 MiB in use, by BenchmarkDefragment on a
// busy machine with two processors.
//
// After the alarm it makes room as an administrator would: it compacts the history,
// which the API server cannot do since that needs a write, defragments, and removes
// the alarm once the file is below nine tenths of the quota. If the data themselves
// need more than that, objects have to be deleted or the quota has to be raised by
// --etcd-quota-backend-bytes; the alarm is removed at the next round or start.
//
// # Snapshots
//
// Scheduler takes a snapshot every interval, verifies it, and only then removes old
// ones. The first is due an interval after the last that is in the directory, so that
// restarts neither delay nor multiply them.
package maintenance
