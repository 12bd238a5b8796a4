package top

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// crowded is the least part of the limit of a level that is in use on a crowded server. Load is uneven if
// another server uses less than half as much.
const crowded = 0.8

// seatsOf returns the least number of seats that gives a server its nominal limits: the limit of a level is its
// share of the total, rounded up. It is 0 if the server does not tell all limits.
func seatsOf(r *replica.Replica) (sum, levels int) {
	for _, level := range r.Metrics.Levels {
		if level.Nominal == nil {
			return 0, 0
		}
		if sum += *level.Nominal; *level.Nominal > 0 {
			levels++
		}
	}
	return sum, levels
}

// noteLimits says why sums of limits are more than the seats that there are.
func (l *Levels) noteLimits(now []replica.Replica) {
	for i := range now {
		sum, levels := seatsOf(&now[i])
		if levels < 2 {
			continue
		}
		l.partial = append(l.partial, fmt.Sprintf("LIMIT and NOMINAL are rounded up for each level, so their sum is up to %d more than an API server has.", levels-1))
		for _, name := range slices.Sorted(maps.Keys(now[i].Metrics.Levels)) {
			if upper := ptr.Deref(now[i].Metrics.Levels[name].Upper, 0); upper > sum {
				l.wide = append(l.wide, fmt.Sprintf("UPPER of %s is more than there is: kube-apiserver adds all its seats to the nominal limit of a level that may borrow without a bound.", name))
				break
			}
		}
		return
	}
}

// noteQueues says what is lacking where the queues alone are known.
func (l *Levels) noteQueues(now []replica.Replica) {
	for i := range now {
		if r := &now[i]; len(r.Queues) > 0 && len(r.Metrics.Levels)+len(r.Levels)+len(r.Requests) == 0 {
			l.partial = append(l.partial, "Only queues are known: levels without queues are missing.")
			return
		}
	}
}

// noteUneven says that one server has no free seats of a level, and another one has: each enforces its own limits.
func (l *Levels) noteUneven(now []replica.Replica) {
	var uneven []string
	for _, level := range l.Levels {
		var texts []string
		least, most := 1.0, 0.0
		for i := range now {
			of := now[i].Metrics.Levels[level.Name]
			if used := now[i].SeatsInUse(level.Name); of.SeatsInUse == nil {
				of.SeatsInUse = used
			}
			if of.SeatsInUse == nil || ptr.Deref(of.Current, 0) == 0 {
				continue
			}
			use := float64(*of.SeatsInUse) / float64(*of.Current)
			least, most = min(least, use), max(most, use)
			texts = append(texts, fmt.Sprintf("%d of %d", *of.SeatsInUse, *of.Current))
		}
		if len(texts) > 1 && most >= crowded && least < most/2 {
			uneven = append(uneven, level.Name+" "+strings.Join(texts, ", "))
		}
	}
	if len(uneven) > 0 {
		l.partial = append(l.partial, fmt.Sprintf("Load is uneven over the API servers, in seats in use of the limit: %s. On kube-apiserver --goaway-chance lets clients connect again.", strings.Join(uneven, "; ")))
	}
}
