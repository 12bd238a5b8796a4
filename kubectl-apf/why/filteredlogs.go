package why

import (
	"fmt"
	"net/http"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
)

// seen is what all events of the logs have in common, exempt ones included: API servers have more than
// one client, and most requests succeed.
type seen struct {
	any       bool
	user      string // of all events; "" if there are several
	succeeded bool
}

func (s *seen) add(r *logs.Request) {
	if !s.any {
		s.any, s.user = true, r.User
	}
	if r.User != s.user {
		s.user = ""
	}
	s.succeeded = s.succeeded || r.Rejected == "" && r.Status < http.StatusBadRequest
}

// filter says by what the logs may be filtered; "" if they are not. A log of one client looks the same.
func (i *Inquiry) filter() string {
	switch {
	case i.observed == 0:
		return ""
	case !i.seen.succeeded:
		return "No event is of a request that succeeded"
	case i.seen.user != "":
		return fmt.Sprintf("All events are of user %s", i.seen.user)
	default:
		return ""
	}
}
