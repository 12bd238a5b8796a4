// Package histories specifies which answers clients of a versioned collection may
// get from lists, reads and watches. It checks answers against the collection's
// true history and depends on no server and no network.
//
// A history is a state at a first version and changes of strictly increasing
// versions, each of one object. It determines the events of a watch: after version
// N, a watcher gets each change, ADDED or MODIFIED with the object after, or DELETED with the
// object before, with the version of the change. So the events up to any moment must be a
// prefix of that sequence: none lost, duplicated, reordered or invented. A
// bookmark of version B may only follow every event up to B.
package histories
