// Package backup takes snapshots of an etcd, and restores one into a data directory, by etcd's own
// libraries: a snapshot is the file of `etcdctl snapshot save`, and `etcdutl` reads it.
//
// # Revisions
//
// A resourceVersion is a revision of etcd. If a restored store continued at the
// revision of the snapshot, it would use revisions again that clients have seen with
// other contents: a watch from such a revision misses events without an error, and an
// update with an old resourceVersion may overwrite a newer object. So the revision
// must be higher than any that any server gave out on any earlier store, including after
// several restores of the same snapshot and of snapshots of restored stores. A fixed
// distance, as in etcd's documentation, does not hold this: two restores of one
// snapshot would use the same revisions. Restore therefore continues at the time of
// the restore, in microseconds since 1970. That increases with each restore, and no
// store makes a million writes a second. Numbers of this size fit in an int64 and in
// the integers of JSON. If the clock is behind the snapshot, the store continues
// 1,000,000,000 revisions after it, as etcd's documentation recommends.
//
// The revisions before that are marked as compacted. A client that continues a watch
// or a list at one of them receives 410 Gone and lists again.
package backup
