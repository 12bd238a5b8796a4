package filter

import (
	"sync/atomic"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
)

// claim is a list that the learner counts as unmeasured, while it waits and executes.
type claim struct {
	held atomic.Pointer[estimate.Unmeasured]
}

// count counts the list of work, instead of what the claim held. If too many lists are unmeasured, the
// work becomes what the formula says.
func (l *lists) count(c *claim, work *listWork) {
	l.settle(c)
	switch u := work.unmeasured; {
	case u.Seats == 0:
	case l.learner.Admit(u, l.total()):
		c.held.Store(&u)
	default:
		work.Work = u.Formula
	}
}

// settle ends the count of what the claim holds, if there is any.
func (l *lists) settle(c *claim) {
	if c.held.Load() == nil {
		return
	}
	if u := c.held.Swap(nil); u != nil {
		l.learner.Settle(*u)
	}
}
