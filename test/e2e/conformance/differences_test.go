package conformance

// difference is an answer in which this server is not to be like its peer.
type difference struct {
	name, reason string
	// meet tells whether this is such an answer, and if so makes of the peer's
	// what the contract wants.
	meet func(step step, ours answer, peers *answer) bool
}

// differences are all that are intended. One that no case meets is an error.
func differences() []difference {
	return []difference{}
}
