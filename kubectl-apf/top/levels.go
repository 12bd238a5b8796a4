package top

import (
	"cmp"
	"maps"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// Levels are the priority levels of all replicas together.
type Levels struct {
	Levels []Level `json:"levels"`
	// Omitted is the number of levels beyond the limit.
	Omitted int `json:"omitted,omitempty"`
	// Total is the sum over all levels, also of those beyond the limit.
	Total Level `json:"total"`
	Origin
}

// Level is the sum of one priority level over the replicas.
type Level struct {
	Name string `json:"name,omitempty"`
	// SeatsInUse are the seats of the requests that execute.
	SeatsInUse   *int `json:"seatsInUse"`
	CurrentLimit *int `json:"currentLimit"`
	NominalLimit *int `json:"nominalLimit"`
	LowerLimit   *int `json:"lowerLimit"`
	UpperLimit   *int `json:"upperLimit"`
	// Executing and Waiting are numbers of requests.
	Executing *int `json:"executing"`
	Waiting   *int `json:"waiting"`
	// OldestWaitSeconds is how long the longest waiting request has waited; null if none
	// waits.
	OldestWaitSeconds *float64 `json:"oldestWaitSeconds"`
	// Rejected is the number of requests rejected since the servers started: their queue
	// was full, the level had no seats, their time was over, or their client left.
	Rejected *uint64 `json:"rejected"`
	// RejectedPerSecond is null without a second reading.
	RejectedPerSecond *float64 `json:"rejectedPerSecond"`
	// Replicas is the number of replicas that told of the level.
	Replicas int `json:"replicas"`
}

// LevelOrders returns the sort keys of OfLevels; the first is the default.
func LevelOrders() []string { return keys(levelOrders()) }

func levelOrders() []order[Level] {
	return []order[Level]{
		{"seats", func(a, b Level) int { return descending(a.SeatsInUse, b.SeatsInUse) }},
		{"use", func(a, b Level) int { return descending(a.use(), b.use()) }},
		{"limit", func(a, b Level) int { return descending(a.CurrentLimit, b.CurrentLimit) }},
		{"waiting", func(a, b Level) int { return descending(a.Waiting, b.Waiting) }},
		{"oldest", func(a, b Level) int { return descending(a.OldestWaitSeconds, b.OldestWaitSeconds) }},
		{"rejected", func(a, b Level) int {
			return cmp.Or(descending(a.RejectedPerSecond, b.RejectedPerSecond), descending(a.Rejected, b.Rejected))
		}},
		{"name", func(Level, Level) int { return 0 }},
	}
}

// use is the part of the current limit that is in use; nil if unknown or without limit.
func (l Level) use() *float64 {
	if l.SeatsInUse == nil || l.CurrentLimit == nil || *l.CurrentLimit == 0 {
		return nil
	}
	use := float64(*l.SeatsInUse) / float64(*l.CurrentLimit)
	return &use
}

// OfLevels returns the priority levels of replicas that were read now and, for rates,
// once before. before may be nil; replicas in it are found by name. An error means
// that the options are invalid.
func OfLevels(now, before []replica.Replica, options Options) (Levels, error) {
	levels := map[string]*Level{}
	for i := range now {
		for name, of := range levelsSince(&now[i], before) {
			levelNamed(levels, name).add(of)
		}
	}
	out := Levels{Origin: originOf(now), Levels: make([]Level, 0, len(levels))}
	for _, name := range slices.Sorted(maps.Keys(levels)) {
		out.Levels = append(out.Levels, *levels[name])
		out.Total.add(levels[name])
	}
	for i := range out.Levels {
		forget(out.Total.figures(), out.Levels[i].figures())
	}
	out.Total.Replicas = out.told()
	out.lacking("LIMIT and NOMINAL", now, replica.EndpointMetrics)
	out.noteLimits(now)
	out.noteQueues(now)
	out.noteUneven(now)
	var err error
	out.Levels, out.Omitted, err = choose(out.Levels, levelOrders(), options)
	return out, err
}

// levelNamed returns the level, which it adds if missing.
func levelNamed(levels map[string]*Level, name string) *Level {
	if levels[name] == nil {
		levels[name] = &Level{Name: name}
	}
	return levels[name]
}

// levelsSince returns the levels of one replica, with rates since it was read before.
func levelsSince(now *replica.Replica, before []replica.Replica) map[string]*Level {
	levels := levelsOf(now)
	at := slices.IndexFunc(before, func(r replica.Replica) bool { return r.Name == now.Name })
	if at < 0 || len(now.Metrics.Levels) > 0 != (len(before[at].Metrics.Levels) > 0) {
		return levels // metrics are not compared with dumps
	}
	elapsed := now.Read.Sub(before[at].Read).Seconds()
	if elapsed <= 0 {
		return levels
	}
	earlier := levelsOf(&before[at])
	for name, level := range levels {
		if level.Rejected == nil {
			continue
		}
		increase := *level.Rejected
		if then := earlier[name]; then != nil && then.Rejected != nil && *then.Rejected <= increase { // otherwise it was restarted
			increase -= *then.Rejected
		}
		level.RejectedPerSecond = new(float64(increase) / elapsed)
	}
	return levels
}

// levelsOf returns the levels of one replica: by its metrics, and by its dumps where these do not tell.
func levelsOf(r *replica.Replica) map[string]*Level {
	levels := map[string]*Level{}
	for name, m := range r.Metrics.Levels {
		levels[name] = &Level{Name: name, SeatsInUse: m.SeatsInUse, CurrentLimit: m.Current, NominalLimit: m.Nominal, LowerLimit: m.Lower, UpperLimit: m.Upper}
	}
	for key, m := range r.Metrics.Schemas {
		level := levelNamed(levels, key.Level)
		replica.Add(&level.Executing, m.Executing)
		replica.Add(&level.Waiting, m.Waiting)
		if m.Rejected != nil {
			replica.Add(&level.Rejected, new(uint64(0)))
		}
		for _, count := range m.Rejected {
			*level.Rejected += count
		}
	}
	for i := range r.Levels {
		row := &r.Levels[i]
		level := levelNamed(levels, row.Name)
		level.Executing, level.Waiting = cmp.Or(level.Executing, &row.Executing), cmp.Or(level.Waiting, &row.Waiting)
		level.Rejected = cmp.Or(level.Rejected, new(row.Rejected+row.TimedOut+row.Cancelled))
	}
	queued := map[string]*Level{}
	for i := range r.Queues {
		q := &r.Queues[i]
		of := levelNamed(queued, q.Level)
		replica.Add(&of.Executing, &q.Executing)
		replica.Add(&of.Waiting, &q.Waiting)
	}
	for name, of := range queued {
		level := levelNamed(levels, name)
		level.Executing, level.Waiting = cmp.Or(level.Executing, of.Executing), cmp.Or(level.Waiting, of.Waiting)
	}
	for i := range r.Requests {
		request := &r.Requests[i]
		if level := levelNamed(levels, request.Level); request.Started.IsZero() {
			longer(&level.OldestWaitSeconds, r.Since(request.Arrived))
		}
	}
	for name, level := range levels {
		level.Replicas = 1
		level.SeatsInUse = cmp.Or(level.SeatsInUse, r.SeatsInUse(name))
	}
	return levels
}

// figures are what each whole scrape tells.
func (l *Level) figures() []**int {
	return []**int{&l.SeatsInUse, &l.CurrentLimit, &l.NominalLimit, &l.LowerLimit, &l.UpperLimit, &l.Executing, &l.Waiting}
}

// add adds the figures of another level to the level's.
func (l *Level) add(other *Level) {
	others := other.figures()
	for f, figure := range l.figures() {
		replica.Add(figure, *others[f])
	}
	replica.Add(&l.Rejected, other.Rejected)
	replica.Add(&l.RejectedPerSecond, other.RejectedPerSecond)
	l.Replicas += other.Replicas
	longer(&l.OldestWaitSeconds, other.OldestWaitSeconds)
}
