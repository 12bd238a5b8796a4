// Package statussync says in the status of every FlowSchema whether its
// priority level exists: condition Dangling is True, with reason NotFound, or
// False, with reason Found, and the message names the level. Where the API lacks
// a mandatory level, its built-in form acts, so that such a level exists.
//
// Two informers do not tell their news in a common order: a schema may be seen
// before the level that it was made for. So no schema is said to dangle before
// the API itself, asked once more, denies the level.
//
// # Several servers
//
// Each replica does this, perhaps with other versions among them, and two that
// disagree would overwrite each other as fast as they can. Therefore a condition
// is only rewritten if its status, its reason or the level it names is wrong,
// never for its wording; and one object is written at most six times in any
// minute. A server that has used that up comes back when the first of the six is
// a minute old, a little later by chance.
package statussync
