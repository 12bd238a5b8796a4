// Package linearizability says what concurrent clients of one object may be
// answered, and tells by it whether a recorded history is linearizable: whether
// each operation can have happened at one moment between its request and its
// answer.
//
// An object is absent, or holds the token of the write that made it so; tokens
// are unique, so the answer to a read names the write that it saw. It has a
// version, which rises with every write, a uid, which is another after it was
// deleted and made again, and the manager that owns its token, by which apply
// decides on conflicts. From such a state each operation has exactly one legal
// answer, errors included.
//
// An operation whose answer was lost may have happened at any time after its
// request, or never. What it wrote has a version that is not known until a read
// tells it; until then nobody can have asked for that version.
//
// Objects are independent of each other, so each is judged alone.
package linearizability
