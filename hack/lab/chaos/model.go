package chaos

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// state is the state of an object.
type state struct {
	token   int64 // 0: the object is absent
	version int64 // 0: not known yet
	uid     string
	owner   string // of the token
	floor   int64  // the highest known version
}

// writer is the owner of what operations other than apply write.
const writer = "update"

// Model returns the sequential specification of each object.
func Model() porcupine.Model {
	model := porcupine.NondeterministicModel{
		Partition: byName,
		Init:      func() []any { return []any{state{}} },
		Step: func(before, input, output any) []any {
			var after []any
			for _, next := range step(before.(state), input.(Input), output.(Output)) {
				after = append(after, next)
			}
			return after
		},
		DescribeOperation: func(input, output any) string {
			if output == nil {
				return fmt.Sprintf("%v", input)
			}
			return fmt.Sprintf("%v -> %v", input, output)
		},
		DescribeState: func(described any) string {
			s := described.(state)
			if s.token == 0 {
				return "absent"
			}
			return fmt.Sprintf("token %d, version %d, owner %s", s.token, s.version, s.owner)
		},
	}
	return model.ToModel()
}

// byName splits a history by object.
func byName(history []porcupine.Operation) [][]porcupine.Operation {
	positions := map[string]int{}
	var parts [][]porcupine.Operation
	for _, operation := range history {
		name := operation.Input.(Input).Name
		position, ok := positions[name]
		if !ok {
			position = len(parts)
			positions[name], parts = position, append(parts, nil)
		}
		parts[position] = append(parts[position], operation)
	}
	return parts
}

// step returns the states that may follow, none if the answer is not legal.
func step(before state, input Input, output Output) []state {
	result, after := before.outcome(input)
	if output.Result == Unknown {
		if result != Done || input.Verb == Read {
			return []state{before}
		}
		return []state{before, after}
	}
	if output.Result != result {
		return nil
	}
	if result != Done || input.Verb == Delete {
		return []state{after}
	}
	if seen, ok := after.see(output); ok {
		return []state{seen}
	}
	return nil
}

// outcome returns the one legal result of an operation, and the state after it. A
// written state has no version yet.
func (s state) outcome(input Input) (Result, state) {
	if s.token == 0 {
		return s.outcomeOfAbsent(input)
	}
	written := state{token: input.Token, uid: s.uid, owner: writer, floor: s.floor}
	demanded := (input.Version == 0 || input.Version == s.version) && (input.UID == "" || input.UID == s.uid)
	switch {
	case input.Verb == Read:
		return Done, s
	case input.Verb == Create:
		return Exists, s
	case !demanded, input.Verb == Apply && !input.Force && s.owner != input.Manager:
		return Conflict, s
	case input.Was != 0 && input.Was != s.token:
		return Mismatch, s
	case input.Verb == Delete:
		return Done, state{floor: s.floor}
	case input.Verb == Apply:
		written.owner = input.Manager
	}
	return Done, written
}

func (s state) outcomeOfAbsent(input Input) (Result, state) {
	switch input.Verb {
	case Update:
		if input.UID != "" { // the API checks the uid precondition before it looks up the object
			return Conflict, s
		}
		return Absent, s
	case Create:
		return Done, state{token: input.Token, owner: writer, floor: s.floor}
	case Apply:
		return Done, state{token: input.Token, owner: input.Manager, floor: s.floor}
	default:
		return Absent, s
	}
}

// see compares the state with the object in an answer, and completes unknown
// fields of the state. It returns false if the answer belongs to another state.
func (s state) see(output Output) (state, bool) {
	switch {
	case output.Token != s.token,
		s.version != 0 && output.Version != s.version,
		s.version == 0 && output.Version <= s.floor,
		s.uid != "" && output.UID != s.uid:
		return state{}, false
	}
	s.version, s.uid, s.floor = output.Version, output.UID, output.Version
	return s, true
}
