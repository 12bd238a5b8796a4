// Package engine combines the classifier and the priority levels: it takes a
// request from its attributes to its seats, and applies configurations.
//
// # Requests
//
// A snapshot holds what a request needs: the classifier and, for each flow schema,
// its priority level, its flow hashes and its figures. A snapshot never changes; an
// atomic pointer holds the current one. A request loads it once. Applying a
// configuration and serving requests never wait for each other.
//
//	r := e.Begin()
//	r.Attributes = ...
//	r.Classify()
//	if r.Admit(ctx, work, nil) {
//		defer r.Finish()
//		... execute ...
//	}
//	r.End()
//
// The steps are separate because the work estimate depends on the priority level.
//
// # Virtual time
//
// Nothing above needs a goroutine for each request. With clock.Fake and a function
// Decided, one goroutine drives an engine through virtual time: Arrive says at once
// whether a request executes, waits or is rejected, Decided is called when one that
// waits may execute or is displaced, and Leave ends the wait for a reason. Package estimate computes
// seats from plain values. Example_virtualTime shows all four.
//
// # Configuration
//
// Apply replaces the whole configuration. The mandatory flow schemas and priority levels always
// exist: the engine adds missing ones. An invalid object is reported, and ignored as if it did not
// exist, whatever was in effect before. A flow schema whose priority level does not exist matches
// nothing.
//
// A priority level whose configuration is removed quiesces: the classifier sends it no
// new requests, but it keeps its share of the server until its last request has ended.
// Then it is dropped. If its configuration returns before that, it resumes.
//
// A request may reach a level after the level was dropped, because it was classified
// before. The level serves it, under its last limits.
//
// # Seats
//
// The limits follow from the total of the server, which SetTotal changes, from the
// shares of all levels, quiescing ones included, and from their demand. Rebalance ends a
// demand period and computes the limits again.
//
// # Memory
//
// What a flow schema takes besides its part of the classifier is its figures, at most
// stats.MaxSeriesBytes. Flows are cached for all schemas together, in at most
// flow.MaxCacheBytes. The heaviest flows and the last rejections are kept for each
// priority level, see packages heavyhitters and rejections.
package engine
