package top

import "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/replica"

// find returns the replica of the name; nil if there is none.
func find(replicas []replica.Replica, name string) *replica.Replica {
	for i := range replicas {
		if replicas[i].Name == name {
			return &replicas[i]
		}
	}
	return nil
}

// addRefusals adds the requests that a replica has refused, and the rate since it was
// read before, which may be nil.
func addRefusals(levels map[string]*Level, now, before *replica.Replica) {
	metrics := len(now.Metrics.Levels) > 0
	refused := refusals(now, metrics)
	for name, count := range refused {
		levelNamed(levels, name).Refused += count
	}
	if before == nil || metrics != (len(before.Metrics.Levels) > 0) {
		return
	}
	elapsed := seconds(before.Read, now.Read)
	if elapsed == 0 {
		return
	}
	earlier := refusals(before, metrics)
	for name, count := range refused {
		increase := count
		if count >= earlier[name] {
			increase -= earlier[name]
		}
		addFloat(&levelNamed(levels, name).RefusedPerSecond, float64(increase)/elapsed)
	}
}

// refusals returns the number of requests that a replica has refused, by level: by its
// metrics or by its dumps.
func refusals(r *replica.Replica, metrics bool) map[string]uint64 {
	refused := map[string]uint64{}
	if !metrics {
		for _, level := range r.Levels {
			refused[level.Name] = level.Rejected + level.TimedOut + level.Cancelled
		}
		return refused
	}
	for name := range r.Metrics.Levels {
		refused[name] = 0
	}
	for key, figures := range r.Metrics.Schemas {
		for _, count := range figures.Rejected {
			refused[key.Level] += count
		}
	}
	return refused
}
