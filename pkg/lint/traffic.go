package lint

import "time"

// Traffic is what logs tell of clients. Counts are from the logs, which may leave out requests;
// LeftOut is a sentence about them, or empty.
type Traffic struct {
	Clients []Client
	Limits  []LimitedClient
	Lists   []FailedList
	Calls   []DeprecatedCalls
	Leases  []LateLease
	Levels  map[string]LevelTraffic
	LeftOut string
}

// Client is what one program sent to one priority level as one user.
type Client struct {
	// User is empty if the logs do not name it; Program is the first word of the user
	// agent, possibly empty.
	User, Program, FlowSchema, PriorityLevel string
	// Requests is the number of requests, HeldUp the number that waited or were rejected.
	Requests, HeldUp int
	// Leases is the number of writes of leases among them, HeldUpLeases the number that waited or
	// were rejected.
	Leases, HeldUpLeases int
	// SeatSeconds is what the requests used, without those for leases.
	SeatSeconds float64
}

// object names the client.
func (c *Client) object() Object {
	if c.User == "" {
		return Object{Kind: "Program", Name: c.Program}
	}
	return Object{Kind: "User", Name: c.User}
}

// LevelTraffic is what a priority level had to do.
type LevelTraffic struct {
	// HeldUp is the number of requests that waited or were rejected.
	HeldUp      int
	SeatSeconds float64
	// Known is the number of requests whose wait is known.
	Known int
}

// LimitedClient is a client whose own log says that a limit of its own delays its requests, or flow control.
type LimitedClient struct {
	// Object is a User, or the Log of a client.
	Object Object
	// PriorityLevel is empty if it is unknown.
	PriorityLevel string
	// Said is the number of lines of the client's log about its limit, Longest the longest
	// wait in them. SaidServer is the number of lines about waits that the server asked for.
	// Failed is the number of requests that failed, because their deadline was before the end of
	// their wait; it is a part of Said. Rejected is the part of SaidServer about requests that flow
	// control rejected, LongestRejected the longest wait in it.
	Said, SaidServer, Failed, Rejected int
	Longest, LongestRejected           time.Duration
}

// judgeTraffic judges what logs tell.
func (j *judge) judgeTraffic() {
	t := j.Facts.Traffic
	if t == nil {
		return
	}
	j.judgeAgents()
	for i := range t.Clients {
		j.add(j.heldUpLeases(&t.Clients[i])...)
	}
	for i := range t.Limits {
		j.add(j.clientLimit(&t.Limits[i])...)
	}
	for i := range t.Lists {
		j.add(failedList(&t.Lists[i]))
	}
	for i := range t.Leases {
		j.add(lateLease(&t.Leases[i]))
	}
	for i := range t.Calls {
		if t.Calls[i].Follows == "" {
			j.add(t.Calls[i].Finding())
		}
	}
	j.add(followers(t.Calls)...)
}

// isUnlimited reports whether nothing limits the requests of a level.
func (j *judge) isUnlimited(level string) bool {
	l := j.levels[level]
	return l != nil && l.Spec.Limited == nil
}
