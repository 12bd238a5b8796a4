package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"
)

const (
	// zoneStep divides the differences between time zones, and isZone is from where a difference between an
	// event and its line is one.
	zoneStep = 15 * time.Minute
	// nearby is how far apart an event and a line of one request are at most. They tell the same time, but for
	// what the outer filters take.
	nearby = time.Second / 2
)

// join joins the items with the same audit ID and URI, an event with a line each.
func (r *Recording) join(items *sorter[item]) error {
	ahead, err := zones(items)
	if err != nil {
		return err
	}
	for _, replica := range slices.Sorted(maps.Keys(ahead)) {
		of := ""
		if replica != "" {
			of = " of " + replica
		}
		r.notes = append(r.notes, fmt.Sprintf("The lines of -v=3%s are %s later than the audit events of the same requests: they are moved by that. --log-time-zone names the zone of the lines.", of, ahead[replica]))
	}
	return groups(items, func(events, lines []item) error {
		for i := range lines {
			if line := &lines[i]; line.Zoned {
				line.Arrival, line.Completed = line.Arrival.Add(-ahead[line.Replica]), line.Completed.Add(-ahead[line.Replica])
			}
		}
		events, lines = r.distinct(events), r.distinct(lines)
		for len(events) > 0 || len(lines) > 0 {
			var next item
			switch {
			case len(lines) == 0 || len(events) > 0 && events[0].Arrival.Before(lines[0].Arrival.Add(-nearby)):
				next, events = events[0], events[1:]
			case len(events) == 0 || !pair(&events[0], lines):
				next, lines = lines[0], lines[1:]
			default:
				next, events, lines = join(&events[0], &lines[0]), events[1:], lines[1:]
			}
			if err := r.sorted.add(next); err != nil {
				return err
			}
		}
		return nil
	})
}

// pair reports whether an event and the first of some lines are of one request: a client may send an audit ID
// again, so that times and agents must fit too, and no later line may be nearer.
func pair(event *item, lines []item) bool {
	distance := func(line *item) time.Duration { return line.Arrival.Sub(event.Arrival).Abs() }
	line := &lines[0]
	fits := event.ID != "" && distance(line) <= nearby && (event.Client == "" || line.Client == "" || event.Client == line.Client)
	return fits && (len(lines) == 1 || distance(line) <= distance(&lines[1]))
}

// distinct returns the items, each of them once.
func (r *Recording) distinct(items []item) []item {
	once := slices.CompactFunc(items, func(a, b item) bool {
		return a.ID != "" && a.Arrival.Equal(b.Arrival) && a.key() == b.key()
	})
	r.tally.repeated += int64(len(items) - len(once))
	return once
}

// zones returns by how much the lines of a server are later than the events of the same requests, if that is
// the difference of two time zones for most of them.
func zones(items *sorter[item]) (map[string]time.Duration, error) {
	counts := map[string]map[time.Duration]int{}
	err := groups(items, func(events, lines []item) error {
		if len(events) == 1 && len(lines) == 1 && lines[0].Zoned && !events[0].Completed.IsZero() {
			of := counts[lines[0].Replica]
			if of == nil {
				of = map[time.Duration]int{}
				counts[lines[0].Replica] = of
			}
			of[lines[0].Completed.Sub(events[0].Completed).Round(zoneStep)]++
		}
		return nil
	})
	ahead := map[string]time.Duration{}
	for replica, of := range counts {
		sum := 0
		for _, n := range of {
			sum += n
		}
		most := slices.MaxFunc(slices.Sorted(maps.Keys(of)), func(a, b time.Duration) int { return cmp.Compare(of[a], of[b]) })
		if most != 0 && 2*of[most] > sum {
			ahead[replica] = most
		}
	}
	return ahead, err
}

// groups calls yield with the events and the lines that have the same audit ID and URI, in the order of their
// arrivals.
func groups(items *sorter[item], yield func(events, lines []item) error) error {
	var events, lines []item
	id, uri := "", ""
	err := items.each(func(i *item) error {
		if i.ID != id || i.URI != uri || id == "" {
			if err := yield(events, lines); err != nil {
				return err
			}
			events, lines = events[:0], lines[:0]
		}
		id, uri = i.ID, i.URI
		if i.Origin == fromAudit {
			events = append(events, *i)
		} else {
			lines = append(lines, *i)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return yield(events, lines)
}
