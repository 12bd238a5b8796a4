// Package chaos checks what clients of several servers on an etcd cluster may rely on,
// whatever fails meanwhile. Its test runs servers and members of etcd, or one server with
// its embedded etcd, breaks them and the network between them in random order, and
// records what clients were answered, what etcd stored and what watchers saw. The
// checks are functions of that record, which are tested with faults planted.
//
// Packages linearizability and histories hold the models of operations and of watches.
// This package adds what concerns many servers: each acknowledged write is stored once
// and unchanged, versions rise, built-in objects stay, servers do not fight over a
// status, engines end on one configuration, and a rolling restart fails no request that
// a client may not send again.
package chaos
