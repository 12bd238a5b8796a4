// Package chaos checks what clients of several servers on an etcd cluster may rely on,
// whatever fails meanwhile. Its test runs servers and members of etcd, or one server with
// its embedded etcd, breaks them and the network between them in random order, and
// records what clients were answered, what etcd stored and what watchers saw. The
// checks are functions of that record, which are tested with faults planted.
//
// Package histories holds the model of watches, and Model the one of operations on an object.
// What concerns many servers is added: each acknowledged write is stored once
// and unchanged, versions rise, built-in objects stay, servers do not fight over a
// status, engines end on one configuration, and a rolling restart fails no request that
// a client may not send again.
//
// # Linearizability
//
// A history of operations is linearizable if each can have happened at one moment between its request
// and its answer. An object is absent, or holds the token of its last write. Tokens are unique, so
// the answer to a read identifies the write that it saw. An object has a version,
// which increases with every write, a uid, which changes when it is deleted and created again, and
// the manager that owns its token: apply detects conflicts with it. In each state an operation has
// exactly one legal answer, errors included.
//
// An operation whose answer was lost may have happened at any time after its
// request, or never. The version that it wrote is unknown until a read returns it.
// Until then no client can have requested that version. Objects are checked separately.
package chaos
