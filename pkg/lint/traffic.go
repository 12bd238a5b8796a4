package lint

import (
	"fmt"
	"time"
)

// Traffic is what logs tell of clients. Counts are from the logs, which may leave out requests;
// LeftOut is a sentence about them, or empty.
type Traffic struct {
	Clients   []Client
	Limits    []LimitedClient
	Callbacks []Callback
	Levels    map[string]LevelTraffic
	LeftOut   string
}

// Client is what one program sent to one priority level as one user.
type Client struct {
	// User is empty if the logs do not name it; Program is the first word of the user
	// agent, perhaps empty.
	User, Program, FlowSchema, PriorityLevel string
	// Requests is the number of requests, HeldUp the number that waited or were rejected.
	Requests, HeldUp int
	// Leases is the number of writes of leases among them, HeldUpLeases the number that waited or
	// were rejected.
	Leases, HeldUpLeases int
	// SeatSeconds is what the requests used, without those for leases.
	SeatSeconds float64
	// OnNodes is the number of nodes whose addresses the client sends from, Nodes the number of all
	// nodes with a known address.
	OnNodes, Nodes int
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
	// Peak is the largest number of seats in use at a time on one server.
	Peak int
}

// LimitedClient is a client whose own limit delays its requests.
type LimitedClient struct {
	// Object is a User, a Program, or the Log of a client.
	Object Object
	// PriorityLevel is empty if it is unknown.
	PriorityLevel string
	// Requests arrived evenly, PerSecond of them, for Span. Burst came at once before;
	// 0 if none is seen. PerSecond is 0 if only the client's own log tells.
	Requests, Burst int
	PerSecond       float64
	Span            time.Duration
	// Said is the number of lines of the client's log about its limit, Longest the longest
	// wait in them. SaidServer is the number of lines about waits that the server asked for.
	Said, SaidServer int
	Longest          time.Duration
	// Free is the smallest number of free seats of the level meanwhile, on one server; nil
	// if it is unknown. HeldUp is the number of requests of the level that waited or were
	// rejected meanwhile.
	Free   *int
	HeldUp int
	// RequestSeatSeconds is what a request of the client uses on average; 0 if unknown.
	RequestSeatSeconds float64
}

// Callback is what the server of a webhook sent while requests of the same priority level
// waited for it.
type Callback struct {
	// Object is the webhook configuration, User the user of its server.
	Object              Object
	User, PriorityLevel string
	// Requests is the number of all requests of the user in the level, Meanwhile the number that
	// arrived while a request of another user waited for the webhook. Busy is the share of that
	// time.
	Requests, Meanwhile int
	Busy                float64
	// Example is one of these requests, such as "list configmaps".
	Example string
}

// judgeTraffic judges what logs tell.
func (j *judge) judgeTraffic() {
	t := j.Facts.Traffic
	if t == nil {
		return
	}
	for i := range t.Clients {
		j.add(j.heldUpLeases(&t.Clients[i])...)
	}
	for i := range t.Limits {
		j.add(j.clientLimit(&t.Limits[i])...)
	}
	for i := range t.Callbacks {
		j.add(webhookRequests(&t.Callbacks[i])...)
	}
}

// isUnlimited reports whether nothing limits the requests of a level.
func (j *judge) isUnlimited(level string) bool {
	l := j.levels[level]
	return l != nil && l.Spec.Limited == nil
}

// limitOf returns the nominal limit of a level on one server; 0 if it is unknown.
func (j *judge) limitOf(level string) int { return j.limits[level].Nominal }

const (
	// minCallbacks is the least number of requests whose times say something.
	minCallbacks = 5
	// mostly is the least share that means one request for each request.
	mostly = 0.8
	// rarely is the most of the time for that share to be no coincidence.
	rarely = 0.5
)

// webhookRequests is FC502. Requests of a server that do not depend on the requests that wait for
// it arrive meanwhile with the probability Busy.
func webhookRequests(c *Callback) []Finding {
	if c.Meanwhile < minCallbacks || float64(c.Meanwhile) < mostly*float64(c.Requests) || c.Busy > rarely {
		return nil
	}
	return []Finding{finding(WebhookRequests, c.Object, "",
		fmt.Sprintf("Requests wait for this webhook with seats of the priority level %q, and its server, %q, needs seats of the same level to answer: %d of its %d requests there, such as %q, arrived while another request waited for it. One waited %.0f %% of the time.",
			c.PriorityLevel, c.User, c.Meanwhile, c.Requests, c.Example, 100*c.Busy),
		"Add a FlowSchema that sends the requests of this user to another priority level, or let the webhook answer from a cache.").
		relatedTo(levelObject(c.PriorityLevel))}
}
