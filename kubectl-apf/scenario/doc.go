// Package scenario describes clients of API servers, and decides what they send.
//
// A Scenario is a file of clients. An open-loop client sends at times that no answer
// changes. A closed-loop client waits for its answers: workers that think and retry,
// informers that list and watch, controllers that react to the writes of other clients.
//
// A Population is the clients of a scenario in virtual time. It is a state machine: a
// caller asks when the next request is sent, takes it, and says what the answer was.
// Generate answers as a server that has no limits. A simulator of flow control answers
// as the simulated server does.
//
//	for at, ok := p.Next(); ok; at, ok = p.Next() {
//		// Give the answers that are due until at; each may change what is next. Then:
//		call := p.Send()
//		...
//		p.Answer(call, completed, scenario.Answer{Status: 200})
//	}
//
// Times are durations since the start of the scenario. The same scenario, seed and
// answers result in the same requests: each client has random numbers of its own, so
// that a change of one client changes no other that does not react to it.
package scenario
