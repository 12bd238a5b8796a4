package why

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/utils/ptr"
)

// crowdedServer is the least part of its seats that a crowded server uses; another one that uses less than half
// as much makes load uneven.
const crowdedServer = 0.5

// fillServers fills what the servers did of a level, if there are several.
func (i *Inquiry) fillServers(s *levelState) {
	names := i.serversOf(s.Name)
	if len(names) < 2 {
		return
	}
	for _, name := range names {
		a := i.serverUsage(serverKey{s.Name, name})
		one := Server{Name: cmp.Or(name, "?"), Requests: a.requests, Rejected: a.rejections(), Used: a.used.least, UsedAtMost: a.used.atMost()}
		if s.Capacity != nil {
			one.Capacity = new(s.capacity / float64(s.Servers))
		}
		s.ByServer = append(s.ByServer, one)
	}
}

// uneven returns what to change if one server is crowded, and another one is not; nil otherwise. Each enforces
// its own limits, so that the free seats of one do not help at the other.
func (l *Level) uneven() *Remedy {
	if len(l.ByServer) < 2 {
		return nil
	}
	byUse := func(a, b Server) int { return cmp.Compare(a.Used, b.Used) }
	least, most := slices.MinFunc(l.ByServer, byUse), slices.MaxFunc(l.ByServer, byUse)
	capacity := ptr.Deref(most.Capacity, 0)
	if most.Rejected == 0 || capacity <= 0 || most.Used < crowdedServer*capacity || ptr.Deref(least.UsedAtMost, least.Used) > most.Used/2 {
		return nil
	}
	return &Remedy{
		Action: "Spread clients over the API servers: set --goaway-chance=0.001 on each kube-apiserver, so that clients connect again now and then.",
		Because: fmt.Sprintf("Load is uneven: of priority level %s, %s used %s of its seats and rejected %d requests, %s used %s and rejected %d.",
			l.Name, most.Name, percent(most.Capacity, &most.Used, most.UsedAtMost), most.Rejected, least.Name, percent(least.Capacity, &least.Used, least.UsedAtMost), least.Rejected),
	}
}
