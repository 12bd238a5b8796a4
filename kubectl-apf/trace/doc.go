// Package trace reads and writes traces: the requests that API servers received, and what
// flow control did with them. This comment specifies the format.
//
// # File
//
// A trace is lines of JSON, one object a line, in UTF-8, optionally compressed with gzip or
// zstd. Readers detect the compression by the first bytes, not by the name. The first
// line is a Header, each other line is a Request. Unknown fields are errors, and so are
// empty lines. A trace has at least one request.
//
//	{"kind":"Trace","apiVersion":"trace.flowcontrol-apiserver.io/v1alpha1","source":"audit-log","requests":2}
//	{"arrival":"2026-11-22T10:00:00Z","user":"alice","groups":["devs","system:authenticated"],"verb":"list","apiVersion":"v1","resource":"pods","namespace":"team-a","list":{"limit":500},"status":200,"latency":"250ms"}
//	{"arrival":"2026-11-22T10:00:00.1Z","user":"system:anonymous","groups":["system:unauthenticated"],"verb":"get","path":"/readyz","status":200,"execution":"1ms","wait":"0s"}
//
// # Order
//
// Requests are in the order of their arrivals. Two consecutive arrivals are at most
// MaxGap apart: a longer gap means that the clock of a server jumped, or that a part of
// the source is missing. The last arrival is at most MaxSpan after the first. A header may say how many requests follow. If fewer follow, or
// the last line has no line break, the trace is cut off.
//
// # Values
//
//   - Times are as in RFC 3339, with up to nine digits of fractions of seconds.
//   - Durations are as time.ParseDuration reads them: "1.5s", "250ms". They are
//     from 0 to MaxSpan.
//   - An absent field has its zero value. Only wait, execution, latency and seats
//     distinguish zero and unknown: absent means unknown.
//
// # Versions
//
// A reader accepts exactly the apiVersion of this package. While the version is an alpha
// version, a change of the format changes the version.
package trace
