package chaos

import (
	"fmt"
	"math/rand/v2"
)

// Choose returns a random request for an object that uses what the client knows of
// it. token returns a new token, which the request may or may not use.
func Choose(random *rand.Rand, name string, known Output, token func() int64) Input {
	input := Input{Name: name, Verb: Read}
	switch chance := random.IntN(100); {
	case chance < 30:
		return input
	case chance < 45:
		input.Verb = Create
	case chance < 60:
		input.Verb = Update
		if random.IntN(4) > 0 {
			input.Version = known.Version
		}
		if random.IntN(2) == 0 {
			input.UID = known.UID
		}
	case chance < 72:
		input.Verb = Patch
		switch random.IntN(3) {
		case 0:
			input.Version = known.Version
		case 1:
			input.Was = known.Token
		}
	case chance < 85:
		input.Verb = Apply
		input.Manager, input.Force = fmt.Sprintf("manager-%d", random.IntN(2)), random.IntN(2) == 0
	default:
		input.Verb = Delete
		switch random.IntN(4) {
		case 0:
			input.Version = known.Version
		case 1:
			input.UID = known.UID
		}
		return input
	}
	input.Token = token()
	return input
}
