// Package histories specifies which answers clients of a versioned collection may
// get from lists, reads and watches. It checks answers against the collection's
// true history and depends on no server and no network.
//
// A history is a state at a first version and changes of strictly increasing
// versions, each of one object. It determines the events of a watch: after version
// N, a watcher with a selector gets, for each change of an object that matched
// before or matches after,
//
//	matched   event
//	after     ADDED, the object after
//	both      MODIFIED, the object after
//	before    DELETED, the object before
//
// each with the version of the change. So the events up to any moment must be a
// prefix of that sequence: none lost, duplicated, reordered or invented. A
// bookmark of version B may only follow every event up to B.
//
// A watch that starts with the state first gets the objects of one version V, in
// any order, and then the events of a watch after V. The model does not know V; it
// searches for a V that explains all events.
package histories
