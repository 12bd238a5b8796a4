package total

import (
	"errors"
	"io/fs"
	"path"
)

// quota measures how often cgroups use up their processor quota.
type quota struct {
	previous map[string]periods // by directory
}

// periods counts the periods of a quota.
type periods struct {
	all, throttled uint64
}

// throttled returns the part of the periods since the last call when the cgroup, or a parent of it,
// was throttled.
func (q *quota) throttled(root fs.FS) (float64, error) {
	group, err := findCgroup(root, "cpu")
	if err != nil {
		return 0, err
	}
	current := map[string]periods{}
	highest := 0.0
	for _, directory := range group.directories {
		now, known, err := readPeriods(root, directory)
		if err != nil {
			return 0, err
		}
		if !known {
			continue
		}
		current[directory] = now
		if before, ok := q.previous[directory]; ok {
			highest = max(highest, now.shareSince(before))
		}
	}
	first := q.previous == nil
	q.previous = current
	switch {
	case len(current) == 0:
		return 0, errors.New("the cgroup of this process has no nr_periods in cpu.stat")
	case first:
		return 0, ErrQuiet
	default:
		return highest, nil
	}
}

// shareSince returns the throttled part of the periods since before, 0 if there were none.
func (p periods) shareSince(before periods) float64 {
	if p.all <= before.all || p.throttled <= before.throttled {
		return 0
	}
	return min(1, float64(p.throttled-before.throttled)/float64(p.all-before.all))
}

// readPeriods reads cpu.stat. It reports whether the file exists and has the numbers,
// which are missing where the controller is off.
func readPeriods(root fs.FS, directory string) (periods, bool, error) {
	name := path.Join(directory, "cpu.stat")
	all, hasAll, err := readField(root, name, "nr_periods")
	if errors.Is(err, fs.ErrNotExist) {
		return periods{}, false, nil
	}
	if err != nil {
		return periods{}, false, err
	}
	throttled, hasThrottled, err := readField(root, name, "nr_throttled")
	return periods{all, throttled}, hasAll && hasThrottled && err == nil, err
}
