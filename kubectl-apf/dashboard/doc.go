// Package dashboard serves one page that shows who holds the seats: for each priority
// level its seats in use against its limits over the last minutes, the requests that
// wait and the rate of rejected ones, and the heaviest flows.
//
// # Data flow
//
//	source.Source  --Read-->  top.OfLevels, top.OfFlows  -->  history  --state-->  page
//
// The figures come from package top, so they equal what `kubectl apf top` prints. A failed sample
// leaves the figures as they were; the page shows since when and why. The server remembers the
// last Window, so that a page that is opened later, or again, shows it too.
//
// # HTTP
//
//	GET /TOKEN/                 the page: one document with its style and script inline
//	GET /TOKEN/state?after=N    State as JSON, with the readings after number N
//
// The page loads nothing else: its content security policy names the
// digests of its own style and script, and allows requests to this server alone. The
// token is a secret: the figures have names of users, and any user of a machine can
// connect to its loopback.
package dashboard
