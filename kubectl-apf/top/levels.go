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
	Executing int `json:"executing"`
	Waiting   int `json:"waiting"`
	// OldestWaitSeconds is how long the longest waiting request has waited; null if none
	// waits.
	OldestWaitSeconds *float64 `json:"oldestWaitSeconds"`
	// Rejected is the number of requests rejected since the servers started: their queue
	// was full, the level had no seats, their time was over, or their client left.
	Rejected uint64 `json:"rejected"`
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
		{"waiting", func(a, b Level) int { return cmp.Compare(b.Waiting, a.Waiting) }},
		{"oldest", func(a, b Level) int { return descending(a.OldestWaitSeconds, b.OldestWaitSeconds) }},
		{"rejected", func(a, b Level) int {
			return cmp.Or(descending(a.RejectedPerSecond, b.RejectedPerSecond), cmp.Compare(b.Rejected, a.Rejected))
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
		addReplica(levels, &now[i])
		addRejections(levels, &now[i], find(before, now[i].Name))
	}
	out := Levels{Origin: originOf(now), Levels: make([]Level, 0, len(levels))}
	for _, name := range slices.Sorted(maps.Keys(levels)) {
		out.Levels = append(out.Levels, *levels[name])
		out.Total.add(levels[name])
	}
	out.Total.Replicas = out.told()
	out.lacking("LIMIT and NOMINAL", now, replica.EndpointMetrics)
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

// addReplica adds what a replica tells of each level.
func addReplica(levels map[string]*Level, r *replica.Replica) {
	for name, of := range levelsOf(r) {
		levelNamed(levels, name).add(of)
	}
}

// levelsOf returns the levels of one replica.
func levelsOf(r *replica.Replica) map[string]*Level {
	levels := map[string]*Level{}
	if len(r.Metrics.Levels) > 0 {
		addMetrics(levels, &r.Metrics)
	} else {
		addDumps(levels, r)
	}
	for i := range r.Requests {
		if request := &r.Requests[i]; request.Started.IsZero() {
			longer(&levelNamed(levels, request.Level).OldestWaitSeconds, new(seconds(request.Arrived, r.Read)))
		}
	}
	for _, level := range levels {
		level.Replicas = 1
	}
	return levels
}

func addMetrics(levels map[string]*Level, metrics *replica.Metrics) {
	for name, figures := range metrics.Levels {
		level := levelNamed(levels, name)
		add(&level.SeatsInUse, &figures.SeatsInUse)
		add(&level.CurrentLimit, &figures.Current)
		add(&level.NominalLimit, &figures.Nominal)
		add(&level.LowerLimit, &figures.Lower)
		add(&level.UpperLimit, &figures.Upper)
	}
	for key, figures := range metrics.Schemas {
		level := levelNamed(levels, key.Level)
		level.Executing += figures.Executing
		level.Waiting += figures.Waiting
	}
}

// addDumps adds the figures of a replica whose metrics are unknown.
func addDumps(levels map[string]*Level, r *replica.Replica) {
	for _, row := range r.Levels {
		level := levelNamed(levels, row.Name)
		level.Executing += row.Executing
		level.Waiting += row.Waiting
		// A dump that lacks the executing requests does not tell of their seats.
		isTold := row.Executing == 0 || slices.ContainsFunc(r.Requests, func(request replica.Request) bool {
			return request.Level == row.Name && !request.Started.IsZero()
		})
		if isTold && !lacks(r, replica.EndpointRequests) {
			add(&level.SeatsInUse, new(0))
		}
	}
	for i := range r.Requests {
		if request := &r.Requests[i]; !request.Started.IsZero() {
			add(&levelNamed(levels, request.Level).SeatsInUse, &request.InitialSeats)
		}
	}
}

// add adds the figures of another level to the level's.
func (l *Level) add(other *Level) {
	add(&l.SeatsInUse, other.SeatsInUse)
	add(&l.CurrentLimit, other.CurrentLimit)
	add(&l.NominalLimit, other.NominalLimit)
	add(&l.LowerLimit, other.LowerLimit)
	add(&l.UpperLimit, other.UpperLimit)
	l.Executing += other.Executing
	l.Waiting += other.Waiting
	l.Rejected += other.Rejected
	l.Replicas += other.Replicas
	longer(&l.OldestWaitSeconds, other.OldestWaitSeconds)
	add(&l.RejectedPerSecond, other.RejectedPerSecond)
}
