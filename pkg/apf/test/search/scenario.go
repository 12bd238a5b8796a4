package search

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"
)

// Numbers of names that a Client gives its flows. More than one is that many in turn.
const (
	Fresh     = 0  // a new name for each request
	PerThread = -1 // each thread has a name of its own
)

// Client is a number of threads that send requests of one kind.
type Client struct {
	// Flow is the name of the flow, or what its names begin with.
	Flow string
	// Tenant is the tenant of its flows. Without one each flow is a tenant of its own.
	Tenant string `json:",omitempty"`
	// Names is the number of names, Fresh or PerThread.
	Names   int
	Threads int
	// PerName is how many threads share a name if Names is PerThread; 1 if 0.
	PerName int `json:",omitempty"`
	// Every is the time between two requests of a thread if it does not wait for responses.
	// All threads send together then. 0 means that a thread waits for each response and pauses for Think.
	Every time.Duration `json:",omitempty"`
	Think time.Duration `json:",omitempty"`
	// Takes is the duration of a request. If LongEach is positive, each so-many-th takes LongTakes.
	Takes     time.Duration
	LongTakes time.Duration `json:",omitempty"`
	LongEach  int           `json:",omitempty"`
	// Jitter is the part of Every, Think and the durations that varies, from 0 to 1.
	Jitter float64 `json:",omitempty"`
	Width  int     `json:",omitempty"` // 1 if 0
	// Patience is after which time the client leaves, 15 s if 0. If ShortEach is positive, each so-many-th
	// leaves after ShortPatience. Deadline is what it says about it; nothing if 0.
	Patience      time.Duration `json:",omitempty"`
	ShortPatience time.Duration `json:",omitempty"`
	ShortEach     int           `json:",omitempty"`
	Deadline      time.Duration `json:",omitempty"`
	// From and Until are when threads send; Until 0 is the end. Each thread begins Stagger after the one
	// before, 1013 µs if 0.
	From    time.Duration `json:",omitempty"`
	Until   time.Duration `json:",omitempty"`
	Stagger time.Duration `json:",omitempty"`
	// Retries is how often a rejected request is sent again.
	Retries int `json:",omitempty"`
	// Weights and TenantWeights are named by its requests in turn; 1 if there are none.
	Weights       []float64 `json:",omitempty"`
	TenantWeights []float64 `json:",omitempty"`
}

// asksAlways reports whether each of the client's flows sends a request as soon as one has ended.
func (c *Client) asksAlways() bool {
	return c.Every == 0 && c.Think == 0 && (c.Names == 1 || c.Names == PerThread)
}

// remembered is how many inactive flows a level must know.
const remembered = 64

// steady reports whether the names of a client return soon, and all of their requests take equally long.
func (s *Scenario) steady(client int) bool {
	c := &s.Clients[client]
	for i := range s.Clients {
		other := &s.Clients[i]
		if other.Flow == c.Flow && other.Tenant == c.Tenant && (other.Takes != c.Takes || other.LongEach > 0 || other.Jitter > 0) {
			return false
		}
	}
	names := c.Names
	if names == PerThread {
		names = c.Threads / max(c.PerName, 1)
	}
	return names != Fresh && names <= remembered
}

// SeatChange changes the number of seats.
type SeatChange struct {
	At    time.Duration
	Seats int
}

// Scenario says what happens to a level. It is the same in each run.
type Scenario struct {
	Config
	Seed    uint64
	Lasts   time.Duration
	Clients []Client
	Changes []SeatChange `json:",omitempty"`
}

// String returns the scenario in one line, which Parse reads.
func (s Scenario) String() string {
	text, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Parse returns the Scenario that String wrote.
func Parse(text string) (Scenario, error) {
	var s Scenario
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return s, fmt.Errorf("read a scenario: %w", err)
	}
	return s, nil
}

// maxPatience is how long a server lets a request wait that names no deadline: a quarter of a minute.
const maxPatience = 15 * time.Second

// sender is the state of a Client in a run.
type sender struct {
	Client
	index  int
	random *rand.Rand
	sent   int // requests
}

func newSender(s *Scenario, i int) *sender {
	c := &sender{Client: s.Clients[i], index: i, random: rand.New(rand.NewPCG(s.Seed, uint64(i)))}
	c.Width, c.Threads, c.PerName = max(1, c.Width), max(1, c.Threads), max(1, c.PerName)
	if c.Stagger == 0 {
		c.Stagger = 1013 * time.Microsecond
	}
	if c.Patience == 0 {
		c.Patience = maxPatience
	}
	if c.Until == 0 || c.Until > s.Lasts {
		c.Until = s.Lasts
	}
	return c
}

// around returns d plus or minus a random part.
func (c *sender) around(d time.Duration) time.Duration {
	if c.Jitter == 0 {
		return d
	}
	return time.Duration(float64(d) * (1 + c.Jitter*(2*c.random.Float64()-1)))
}

// request returns the next request of a thread.
func (c *sender) request(thread int, now time.Duration) *Request {
	n := c.sent
	c.sent++
	r := &Request{
		Tenant: c.Tenant, Flow: c.nameOf(n, thread), TenantWeight: inTurn(c.TenantWeights, n), Weight: inTurn(c.Weights, n),
		Width: c.Width, Deadline: c.Deadline, Arrived: now, Duration: c.Takes, Patience: c.Patience, client: c.index, thread: thread,
	}
	if c.LongEach > 0 && n%c.LongEach == c.LongEach-1 {
		r.Duration = c.LongTakes
	}
	// Threads differ a little, so that no two events fall together by chance.
	r.Duration = max(c.around(r.Duration), time.Microsecond) + time.Duration(thread)*time.Microsecond
	if c.ShortEach > 0 && n%c.ShortEach == c.ShortEach-1 {
		r.Patience = c.ShortPatience
	}
	if r.Deadline > 0 {
		r.Patience = min(r.Patience, r.Deadline)
	}
	if r.Tenant == "" {
		r.Tenant = r.Flow
	} else {
		r.Flow = r.Tenant + "/" + r.Flow
	}
	return r
}

func (c *sender) nameOf(n, thread int) string {
	switch c.Names {
	case 1:
		return c.Flow
	case Fresh:
		return fmt.Sprint(c.Flow, "-", n)
	case PerThread:
		return fmt.Sprint(c.Flow, "-", thread/c.PerName)
	}
	return fmt.Sprint(c.Flow, "-", n%c.Names)
}

func inTurn(weights []float64, n int) float64 {
	if len(weights) == 0 {
		return 1
	}
	return weights[n%len(weights)]
}
