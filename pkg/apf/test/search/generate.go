package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Space is what scenarios may have.
type Space struct {
	Tenants, Weights, Seats bool // several flows of a tenant, weights, seats that change
	// Level is the number of seats at the beginning; any if 0.
	Level int
	// Starts is about how many requests a scenario executes at most.
	Starts int
}

// generator makes and changes scenarios.
type generator struct {
	*rand.Rand
	Space
}

// scenario returns a scenario.
func (g *generator) scenario() Scenario {
	s := Scenario{Seed: g.Uint64() % 1000, Lasts: 2 * time.Minute}
	s.Config = Config{Seats: pick(g, 2, 5, 10, 20, 20, 40), Queues: 64, HandSize: 6, QueueLength: 50}
	if g.Level > 0 {
		s.Seats = g.Level
	}
	if g.chance(0.2) {
		s.Queues, s.HandSize, s.QueueLength = pick(g, 1, 8, 64), 1, pick(g, 2, 10, 50)
	}
	base := g.between(50*time.Millisecond, 3*time.Second)
	for range 1 + g.IntN(3) {
		s.Clients = append(s.Clients, g.crowd(base, s.Seats))
	}
	if g.chance(0.7) { // established
		s.Clients = append(s.Clients, Client{Flow: "established", Names: 1, Threads: 3 + g.IntN(5), Takes: g.near(base), From: time.Second})
	}
	for range 1 + g.IntN(2) {
		s.Clients = append(s.Clients, g.victim(base, s.Seats))
	}
	if g.Seats && g.chance(0.2) {
		s.Changes = append(s.Changes, g.change(&s))
	}
	return g.bound(s)
}

// crowd returns clients that together ask for about all seats.
func (g *generator) crowd(base time.Duration, seats int) Client {
	c := Client{Flow: "crowd" + g.letters(), Takes: g.near(base), Width: g.width(seats)}
	full := float64(seats) / float64(c.Width)
	switch g.IntN(6) {
	case 0, 1: // as many as the seats, and some
		c.Names, c.Threads = Fresh, g.times(full, 0.8, 3)
	case 2:
		c.Names, c.Threads = pick(g, 3, 30, 300, 3000), g.times(full, 0.8, 3)
	case 3:
		c.Names, c.Threads = PerThread, g.times(full, 0.8, 4)
	case 4: // each now and then
		c.Names, c.Threads, c.Jitter = PerThread, g.times(full, 2, 12), 0.1+0.4*g.Float64()
		c.Every = time.Duration(float64(c.Takes) * float64(c.Threads) / full / (0.8 + 0.5*g.Float64()))
		c.Stagger = c.Every / time.Duration(c.Threads)
	case 5: // bursts
		c.Names, c.PerName = PerThread, pick(g, 3, 20, 60, 300)
		c.Threads = c.PerName * (1 + g.IntN(20))
		c.Every = g.between(5*time.Second, time.Minute)
		c.Patience = c.Every
	}
	g.habits(&c)
	return c
}

// victim returns clients that ask for little, or for what is theirs.
func (g *generator) victim(base time.Duration, seats int) Client {
	c := Client{Flow: "victim" + g.letters(), Names: 1, Takes: g.near(base), Width: 1, From: g.between(time.Second, 20*time.Second)}
	switch g.IntN(5) {
	case 0: // established
		c.Threads = 2 + g.IntN(8)
	case 1: // mouse
		c.Takes /= 10
		c.Think = 20 * c.Takes
	case 2: // lister
		c.Width = max(2, g.width(seats))
		c.Think = 5 * c.Takes
	case 3: // now and then
		c.Every, c.Jitter = g.between(c.Takes, 20*c.Takes), 0.2
	case 4: // a few that wait for each other, and some of them leave
		c.Threads = 5 + g.IntN(40)
		c.Patience = g.between(5*time.Second, 40*time.Second)
		c.ShortPatience, c.ShortEach = c.Patience/time.Duration(2+g.IntN(4)), 1+g.IntN(9)
	}
	if g.chance(0.3) {
		g.habits(&c)
	}
	return c
}

// habits gives clients a habit or none.
func (g *generator) habits(c *Client) {
	switch g.IntN(10) {
	case 0:
		c.Deadline = time.Duration(float64(c.Takes) * (1.2 + 3*g.Float64()))
	case 1:
		c.LongTakes, c.LongEach = time.Duration(float64(c.Takes)*(5+50*g.Float64())), 2+g.IntN(30)
	case 2:
		c.ShortPatience, c.ShortEach = g.between(c.Takes/2, 10*c.Takes), 1+g.IntN(10)
	case 3:
		c.From, c.Until = g.between(time.Millisecond, 40*time.Second), g.between(20*time.Second, 2*time.Minute)
	case 4:
		c.Retries = 5
	case 5:
		c.Jitter = g.Float64() / 2
	}
	if g.Tenants && g.chance(0.5) {
		c.Tenant = "tenant" + g.letters()
	}
	if g.Weights && g.chance(0.2) {
		for range 1 + g.IntN(3) {
			c.Weights = append(c.Weights, g.weight())
		}
	}
	if g.Weights && c.Tenant != "" && g.chance(0.2) {
		c.TenantWeights = []float64{g.weight()}
	}
}

func (g *generator) change(s *Scenario) SeatChange {
	return SeatChange{At: g.between(time.Second, s.Lasts), Seats: pick(g, 0, 0, 1, s.Seats, s.Seats, s.Seats/2, 2*s.Seats)}
}

// mutate returns a scenario that differs a little.
func (g *generator) mutate(s Scenario) Scenario {
	s.Clients, s.Changes = slices.Clone(s.Clients), slices.Clone(s.Changes)
	for more := true; more; more = g.chance(0.4) {
		i := g.IntN(len(s.Clients))
		switch g.IntN(12) {
		case 0:
			s.Clients = append(s.Clients, g.crowd(s.Clients[i].Takes, s.Seats))
		case 1:
			s.Clients = append(s.Clients, g.victim(s.Clients[i].Takes, s.Seats))
		case 2:
			if len(s.Clients) > 1 {
				s.Clients = slices.Delete(s.Clients, i, i+1)
			}
		case 3:
			s.Seed++
		case 4: // a single request
			s.Clients = append(s.Clients, Client{
				Flow: pick(g, s.Clients[i].Flow, "single"+g.letters()), Names: 1, Threads: 1, Every: time.Hour, Tenant: s.Clients[i].Tenant,
				Takes: g.near(s.Clients[i].Takes), Width: g.width(s.Seats), From: g.between(time.Millisecond, s.Lasts), Patience: time.Minute,
			})
		case 5:
			if g.Seats {
				s.Changes = append(s.Changes, g.change(&s))
			} else {
				g.alter(&s.Clients[i], s.Seats)
			}
		case 6:
			if len(s.Changes) > 0 {
				s.Changes = s.Changes[:len(s.Changes)-1]
			} else if g.Level == 0 {
				s.Seats = max(1, g.times(float64(s.Seats), 0.5, 2))
			}
		default:
			g.alter(&s.Clients[i], s.Seats)
		}
	}
	return g.bound(s)
}

// alter changes one thing about clients.
func (g *generator) alter(c *Client, seats int) {
	switch g.IntN(14) {
	case 0, 1:
		c.Threads = max(1, g.times(float64(c.Threads), 0.4, 2.5))
	case 2, 3:
		c.Takes = g.near(c.Takes)
	case 4:
		c.Think = g.near(c.Think)
	case 5:
		c.Every = g.near(c.Every)
	case 6:
		c.Width = g.width(seats)
	case 7:
		c.Patience = g.near(max(c.Patience, time.Second))
	case 8:
		c.From = g.near(c.From)
	case 9:
		c.Names = pick(g, 1, Fresh, PerThread, PerThread, 10, 300)
	case 10:
		c.PerName = g.times(float64(c.PerName+1), 0.4, 2.5)
	case 11:
		c.Jitter = g.Float64() / 2
	case 12:
		c.Stagger = g.near(max(c.Stagger, time.Millisecond))
	case 13:
		g.habits(c)
	}
}

// bound keeps a scenario within what can be played quickly.
func (g *generator) bound(s Scenario) Scenario {
	rate, present := 0.0, 1.0 // requests a second, requests at a time
	for i := range s.Clients {
		c := &s.Clients[i]
		c.Threads = min(max(1, c.Threads), 2000)
		c.Width = min(max(1, c.Width), s.Seats)
		c.Takes = min(max(c.Takes, time.Millisecond), 20*time.Second)
		c.LongTakes = min(c.LongTakes, 30*time.Second)
		threads := float64(c.Threads)
		present += threads
		if c.Every > 0 {
			c.Every = max(c.Every, 5*time.Millisecond)
			rate += threads / c.Every.Seconds()
			continue
		}
		c.Threads = min(c.Threads, 300)
		rate += min(float64(c.Threads), float64(s.Seats)/float64(c.Width)) / (c.Takes + c.Think).Seconds()
	}
	s.Lasts = 2 * time.Minute
	// The more requests are there at a time, the longer takes an event.
	starts := max(float64(g.Starts)/8, min(float64(g.Starts), float64(g.Starts)*100/present))
	if most := starts / rate; most < s.Lasts.Seconds() {
		s.Lasts = time.Duration(most * float64(time.Second))
	}
	for i := range s.Clients {
		c := &s.Clients[i]
		c.From = min(c.From, s.Lasts/3)
	}
	return s
}

func (g *generator) chance(p float64) bool { return g.Float64() < p }

// between returns a time, where each order of magnitude is as likely as any other.
func (g *generator) between(from, to time.Duration) time.Duration {
	if to <= from || from <= 0 {
		return from
	}
	return time.Duration(float64(from) * math.Pow(float64(to)/float64(from), g.Float64()))
}

// near returns a time from a third to thrice d.
func (g *generator) near(d time.Duration) time.Duration { return g.between(d/3, 3*d) }

// times returns n times a factor from least to most.
func (g *generator) times(n, least, most float64) int {
	return max(1, int(math.Round(n*least*math.Pow(most/least, g.Float64()))))
}

func (g *generator) width(seats int) int {
	if g.chance(0.6) {
		return 1
	}
	return 1 + g.IntN(seats)
}

func (g *generator) weight() float64 { return float64(1 + g.IntN(10)) }

func (g *generator) letters() string { return string(rune('a' + g.IntN(3))) }

func pick[T any](g *generator, of ...T) T { return of[g.IntN(len(of))] }
