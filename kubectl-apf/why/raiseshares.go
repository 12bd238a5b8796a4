package why

import (
	"sort"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
)

// maxShares is the largest number of shares that is tried.
const maxShares = 1 << 16

// raised are shares that give a level enough seats.
type raised struct {
	from, to int32
	// seats is the nominal limit then, and lost what other levels lose, in seats.
	seats, lost int
}

// raiseShares returns the least shares, at least the present ones, that raise the nominal limit of
// a level to at least seats. It returns false if there are none that leave the others half of their seats,
// or if the level has no shares to raise.
func raiseShares(c configuration.Configuration, level string, seats int) (raised, bool) {
	c.FlowSchemas = nil // they do not matter for limits
	var object *flowcontrolv1.PriorityLevelConfiguration
	for _, o := range c.PriorityLevels {
		if o.Name == level && o.Spec.Limited != nil && o.Spec.Limited.NominalConcurrencyShares != nil {
			object = o
		}
	}
	if object == nil {
		return raised{}, false
	}
	r := raised{from: *object.Spec.Limited.NominalConcurrencyShares}
	_, othersBefore := nominal(c, object, r.from)
	r.to = r.from + int32(sort.Search(maxShares, func(more int) bool {
		limit, _ := nominal(c, object, r.from+int32(more))
		return limit >= seats
	}))
	own, others := nominal(c, object, r.to)
	r.seats, r.lost = own, max(0, othersBefore-others)
	return r, own >= seats && 2*r.lost <= othersBefore
}

// nominal returns the nominal limits of a level with the given shares, and of all
// others together, in seats.
func nominal(c configuration.Configuration, object *flowcontrolv1.PriorityLevelConfiguration, shares int32) (own, others int) {
	changed := object.DeepCopy()
	changed.Spec.Limited.NominalConcurrencyShares = &shares
	for name, limit := range c.Overlay(nil, []*flowcontrolv1.PriorityLevelConfiguration{changed}).NominalLimits() {
		if name == object.Name {
			own = limit
		} else {
			others += limit
		}
	}
	return own, others
}
