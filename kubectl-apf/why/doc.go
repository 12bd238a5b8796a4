// Package why explains what flow control delayed or rejected for a user or a flow schema: why, at which
// level and queues, since when, how much it got compared with its fair share, and what to change.
//
// # Evidence
//
// Events of an audit log are best. With annotations of flowcontrol-apiserver they are
// exact. Without, the rest is inferred, and a result says so:
//
//   - The flow schema and the level come from the given configuration, which may not have been
//     enforced at that time.
//   - A request takes the seats that explain estimates. Where it is unknown what is stored or watched,
//     figures are the least and the most that are possible.
//   - A rejection is a response code 429 without a Status object. Its reason, unless the
//     response tells it, is concurrency-limit on a level without queues. On one with
//     queues it is time-out if the request took more than 500 ms, otherwise queue-full.
//   - Waits of watches, and of requests that took 500 ms or less, are unknown.
//
// Without events, flows and rejections come from top_flows and rejections of
// flowcontrol-apiserver. These are exact as to reasons. Uses are of the last 15 minutes; how many
// requests were not rejected is unknown.
// The metrics of any API server have the rejections and waits of a flow schema since the
// server started, but no flows. They also have the current limits of the levels; without
// metrics the nominal limits count.
//
// # Fair share
//
// The unit is the seat-second: seats times seconds of execution. Let level L have the
// limit l on each of s servers, and let the evidence span w seconds. The capacity is
//
//	C = l · s · w
//
// Flow i used u(i), and its demand is
//
//	d(i) = u(i) + rejected(i) · m(i)
//
// where m(i) is the mean use of its executed requests, or of the level's if it has none. Clients
// repeat rejected requests, and each counts, so d(i) may be too large. Where m is unknown, as
// without events, the demand of a flow with rejections is unlimited.
//
// The max-min fair division gives each flow its demand or h, whichever is less:
//
//	Σ min(d(i), h) = C
//
// The fair share of flow f is what this division gives it if its demand is unlimited,
// so it depends only on what the others demand:
//
//	F(f) = h where h + Σ min(d(i), h) = C, the sum over all i except f
//
// F is at least C/n with n flows, and all of C if no other flow has demand. A flow
// that got less than F, and had requests delayed or rejected, was treated worse than fair: its
// queues collided with others', or its requests came in bursts. A flow that got F or more asked for
// more than its part.
//
// # Remedies
//
// A remedy is given only if the figures support it, whatever the unknown ones are: each says which. A log
// that may be filtered by a user or status shows neither what a level did nor why. New shares are found with the
// engine, by search: the least shares whose nominal limit suffices.
//
// # JSON
//
// The JSON form of Result is stable: fields are added, but not renamed or removed.
package why
