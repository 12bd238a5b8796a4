// Package watchmodel says what clients of a versioned collection may be told:
// by lists, by reads and above all by watches. It judges what they were told
// against the collection's true history and knows no server and no network.
//
// A history is a state at a first version and changes of strictly rising
// versions, each of one object. What a watch tells is determined by it: after
// version N, a watcher with a selector gets, for each change of an object that
// matched before or matches after,
//
//	matched   event
//	after     ADDED, the object after
//	both      MODIFIED, the object after
//	before    DELETED, the object before
//
// each with the version of the change. So what was told up to any moment must be
// a beginning of that sequence: nothing lost, doubled, reordered or invented. A
// bookmark of version B may only come once every event up to B has come.
//
// A watch that begins with the state gets the objects of one version V first, in
// any order, and then what a watch after V gets. The model does not know V; it
// looks for one that explains everything.
package watchmodel
