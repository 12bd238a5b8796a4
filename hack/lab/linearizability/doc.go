// Package linearizability specifies the answers that concurrent clients of one
// object may get. It checks whether a recorded history is linearizable: whether
// each operation can have happened at one moment between its request and its
// answer.
//
// An object is absent, or holds the token of its last write. Tokens are unique, so
// the answer to a read identifies the write that it saw. An object has a version,
// which increases with every write, a uid, which changes when it is deleted and created again, and
// the manager that owns its token: apply detects conflicts with it. In each state an operation has
// exactly one legal answer, errors included.
//
// An operation whose answer was lost may have happened at any time after its
// request, or never. The version that it wrote is unknown until a read returns it.
// Until then no client can have requested that version.
//
// Objects are independent of each other, so each is checked separately.
package linearizability
