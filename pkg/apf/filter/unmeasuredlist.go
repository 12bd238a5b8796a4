package filter

import (
	"sync/atomic"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
)

// unmeasuredList is a list that the history counts as unmeasured, while it waits and executes.
type unmeasuredList struct {
	held atomic.Pointer[estimate.Unmeasured]
}

// count counts the list of work, instead of what it held before. If too many lists are unmeasured, the
// work becomes what the formula says.
func (l *lists) count(list *unmeasuredList, work *listWork) {
	l.settle(list)
	switch u := work.unmeasured; {
	case u.Seats == 0:
	case l.history.Admit(u, l.total()):
		list.held.Store(&u)
	default:
		work.Work = u.Formula
	}
}

// settle ends the count of a list, if it is counted.
func (l *lists) settle(list *unmeasuredList) {
	if list.held.Load() == nil {
		return
	}
	if u := list.held.Swap(nil); u != nil {
		l.history.Settle(*u)
	}
}
