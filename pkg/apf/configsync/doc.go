// Package configsync applies the API objects to the engine.
//
// It watches FlowSchemas and PriorityLevelConfigurations through informers. When the
// spec of any of them changes, it translates what has changed and applies all as one
// configuration. So a level and the schemas that name it take effect together, and a
// request sees either the whole change or none of it. Nothing is applied before both
// informers have synced: schemas without their levels would match nothing.
//
// An invalid object, which validation should have rejected, is reported once, and ignored as if it
// did not exist, as by kube-apiserver. So what is in effect follows from what is stored, on each
// replica and after each restart.
//
// # Bursts
//
// Ten thousand objects take tens of milliseconds. Changes that arrive meanwhile are applied
// together, and after each application the controller pauses for four times its duration, at least
// for 100 ms. So bursts of any size occupy at most a fifth of one processor, and make at most ten
// applications a second. A change that follows no other is applied at once.
package configsync
