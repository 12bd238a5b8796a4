package chaos

import (
	"fmt"
	"time"
)

// Request is a request of any client.
type Request struct {
	// Start and End are times since the start of the run.
	Start, End time.Duration
	What       string
	// Failure describes the answer if the request failed, else "". Kind is its kind, as
	// in "code 504".
	Failure, Kind string
	// Retriable reports whether a client may send a request that failed again.
	Retriable bool
}

// Window is a time with nothing but a rolling restart. It begins when all servers work. Times are
// since the start of the run.
type Window struct{ Start, End time.Duration }

// CheckRolling holds that requests within a rolling restart fail only so that a client
// may send them again. It returns how many requests it judged.
func CheckRolling(requests []Request, windows []Window) (judged int, errs []error) {
	for _, window := range windows {
		for _, request := range requests {
			if request.Start < window.Start || request.End > window.End {
				continue
			}
			judged++
			if request.Failure != "" && !request.Retriable {
				errs = append(errs, fmt.Errorf("%s failed during a rolling restart, %v after the start, and cannot be sent again: %s",
					request.What, request.Start.Round(time.Millisecond), request.Failure))
			}
		}
	}
	return judged, errs
}
