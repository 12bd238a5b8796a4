package rules

// The names of the mandatory flow schemas, and of the priority levels of the same names.
// They exist whatever the API holds. Package engine has their specifications.
const (
	// Exempt matches the requests of system:masters, and limits none of them. Its
	// flow schema is tried first.
	Exempt = "exempt"
	// CatchAll matches every request that no other flow schema matches. Its flow
	// schema is tried last.
	CatchAll = "catch-all"
)
