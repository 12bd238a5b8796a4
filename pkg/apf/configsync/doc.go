// Package configsync applies the API objects to the engine.
//
// It watches FlowSchemas and PriorityLevelConfigurations through informers. When the
// spec of any of them changes, it translates all of them and applies them as one
// configuration. So a level and the schemas that name it take effect together, and a
// request sees either the whole change or none of it. Nothing is applied before both
// informers have synced: schemas without their levels would match nothing.
//
// An invalid object, which validation should have rejected, is reported once, and
// its last valid version stays in effect.
//
// # Bursts
//
// Translating ten thousand objects may take tens of milliseconds. Changes that arrive
// meanwhile are applied together, and after each translation the controller pauses
// for four times its duration. So bursts of any size occupy at most a fifth of one
// processor.
package configsync
