// Package mandatory names the mandatory configuration: the flow schemas, and the
// priority levels of the same names, that exist whatever the API holds. Package
// engine has their specifications.
package mandatory

const (
	// Exempt takes the requests of system:masters, and limits none of them. Its
	// flow schema is tried first.
	Exempt = "exempt"
	// CatchAll takes every request that no other flow schema matches. Its flow
	// schema is tried last.
	CatchAll = "catch-all"
)
