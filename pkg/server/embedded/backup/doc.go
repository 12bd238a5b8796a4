// Package backup saves, verifies and restores snapshots of an embedded etcd.
//
// # File
//
// A snapshot is the file that `etcdctl snapshot save` writes: the database of etcd as
// of one revision, followed by its SHA-256. Etcd's own tools read it. Save streams it
// to a temporary file in the same directory, fsyncs and verifies that file, and only
// then gives it its name, which must be free: nothing is overwritten, and a file with
// the name of a snapshot is complete.
//
// Verify reads a snapshot from end to end: the checksum, every bucket of the
// database, the version of etcd, and each object below the prefix of the server,
// which must decode and have the name that is in its key. Encrypted objects are
// counted; only their server can read them.
//
// # Restore
//
// Restore makes a store in a new directory by etcd's own library, starts an etcd on
// it, reads every key, compares them with the snapshot, and only then moves the store
// to its place. A failed restore removes what it made.
//
// # Revisions
//
// A resourceVersion is a revision of etcd. If a restored store continued at the
// revision of the snapshot, it would use revisions again that clients have seen with
// other contents: a watch from such a revision misses events without an error, and an
// update with an old resourceVersion may overwrite a newer object. So the revision
// must be higher than any that any server gave out on any earlier store, also after
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
