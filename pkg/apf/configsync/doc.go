// Package configsync makes the engine follow the API objects.
//
// It watches FlowSchemas and PriorityLevelConfigurations through informers and,
// whenever the specification of any of them changes, translates all of them and
// hands them to the engine in one piece. So a level and the schemas that name
// it take effect together, and a request sees either all of a change or
// nothing of it. Nothing is handed over before both informers have seen the
// whole of the API: a schema alone would look as if its level did not exist.
//
// Where the API lacks a mandatory object, its built-in form takes its place. An
// object that is malformed, which validation should not have let through, is
// reported once, and its last good form stays in effect.
//
// # Bursts
//
// A translation may take tens of milliseconds for ten thousand objects. Changes
// that arrive meanwhile are served together by the next one, and between two
// there is a pause of four times what the last one took. So bursts of any size
// occupy at most a fifth of one processor.
package configsync
