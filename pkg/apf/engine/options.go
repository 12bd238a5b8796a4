package engine

import (
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// Options configures an Engine. Every field but Total has a default.
//
// The work estimate of a request is not computed here: the caller of Admit passes it,
// since it depends on the URL and on the stored objects. See package filter.
type Options struct {
	// Clock is the source of time. The default is the monotonic clock of the machine.
	Clock clock.Clock
	// Total is the number of seats that the priority levels share. From then on the
	// Engine owns it, see SetTotal. A negative number counts as 0.
	Total int
	// Tenants says which flows are one tenant. By default each flow is a tenant of its own.
	Tenants rules.Tenants
	// Observer is told what changes. The default ignores it.
	Observer Observer
}

func (o Options) complete() Options {
	if o.Clock == nil {
		o.Clock = clock.NewReal()
	}
	if o.Observer == nil {
		o.Observer = deaf{}
	}
	o.Total = max(o.Total, 0)
	return o
}
