package top

import "github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"

// find returns the replica of the name; nil if there is none.
func find(replicas []replica.Replica, name string) *replica.Replica {
	for i := range replicas {
		if replicas[i].Name == name {
			return &replicas[i]
		}
	}
	return nil
}

// addRejections adds the requests that a replica has rejected, and the rate since it was
// read before, which may be nil.
func addRejections(levels map[string]*Level, now, before *replica.Replica) {
	metrics := len(now.Metrics.Levels) > 0
	rejected := rejections(now, metrics)
	for name, count := range rejected {
		levelNamed(levels, name).Rejected += count
	}
	if before == nil || metrics != (len(before.Metrics.Levels) > 0) {
		return
	}
	elapsed := seconds(before.Read, now.Read)
	if elapsed == 0 {
		return
	}
	earlier := rejections(before, metrics)
	for name, count := range rejected {
		increase := count
		if count >= earlier[name] {
			increase -= earlier[name]
		}
		add(&levelNamed(levels, name).RejectedPerSecond, new(float64(increase)/elapsed))
	}
}

// rejections returns the number of requests that a replica has rejected, by level: by its
// metrics or by its dumps.
func rejections(r *replica.Replica, metrics bool) map[string]uint64 {
	rejected := map[string]uint64{}
	if !metrics {
		for _, level := range r.Levels {
			rejected[level.Name] = level.Rejected + level.TimedOut + level.Cancelled
		}
		return rejected
	}
	for name := range r.Metrics.Levels {
		rejected[name] = 0
	}
	for key, figures := range r.Metrics.Schemas {
		for _, count := range figures.Rejected {
			rejected[key.Level] += count
		}
	}
	return rejected
}
