package record

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	// backwards is from where an earlier time than the entry before has begins another segment. Pipelines may
	// deliver entries in another order than they were written in.
	backwards = 2 * time.Second
	// maxSegments is the number of segments of a log from where on it is not in any order.
	maxSegments = 64
)

// servers tells API servers apart whose logs do not name them. A file is divided into segments where the time
// jumps back. Segments of the same time are of different servers.
type servers struct {
	path     string
	segments []segment
	current  int // the index of the segment that is read; -1 for none
	count    int
}

// segment is a part of a file in the order of time.
type segment struct {
	path     string
	from     origin
	of       time.Time // of its first request
	until    time.Time
	inServer int // from 0 on
}

// begin begins a file.
func (s *servers) begin(path string) { s.path, s.current = path, -1 }

// segment returns the index of the segment of an entry.
func (s *servers) segment(from origin, at time.Time) int {
	if s.current < 0 || at.Before(s.segments[s.current].until.Add(-backwards)) {
		s.current = len(s.segments)
		s.segments = append(s.segments, segment{path: s.path, from: from, of: at})
	}
	one := &s.segments[s.current]
	if at.After(one.until) {
		one.until = at
	}
	if at.Before(one.of) {
		one.of = at
	}
	return s.current
}

// name finds the servers.
func (s *servers) name() {
	counts := map[string]int{}
	for i := range s.segments {
		counts[s.segments[i].path]++
	}
	s.count = 1
	for i := range s.segments {
		one := &s.segments[i]
		if counts[one.path] > maxSegments {
			continue
		}
		for slices.ContainsFunc(s.segments[:i], func(other segment) bool {
			return other.from == one.from && other.inServer == one.inServer && counts[other.path] <= maxSegments && one.overlaps(&other)
		}) {
			one.inServer++
		}
		s.count = max(s.count, one.inServer+1)
	}
}

// overlaps reports whether two segments share most of the time of the shorter one.
func (s *segment) overlaps(other *segment) bool {
	from, until := s.of, s.until
	if other.of.After(from) {
		from = other.of
	}
	if other.until.Before(until) {
		until = other.until
	}
	shorter := min(s.until.Sub(s.of), other.until.Sub(other.of))
	return until.Sub(from) > backwards && 2*until.Sub(from) > shorter
}

// nameOf names the server of a segment; "" if there is only one.
func (s *servers) nameOf(segment int) string {
	if s.count < 2 {
		return ""
	}
	return fmt.Sprintf("server-%d", s.segments[segment].inServer+1)
}

// notes returns sentences about the servers that were told apart, or not.
func (s *servers) notes() []string {
	var notes []string
	var paths []string
	for i := range s.segments {
		if path := s.segments[i].path; !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if s.count > 1 {
		notes = append(notes, fmt.Sprintf("%s: no line names its API server. They are taken for the logs of %d, server-1 to server-%d, because the same time comes again. REPLICA=PATH names the server of a file.", strings.Join(paths, ", "), s.count, s.count))
	}
	for _, path := range paths {
		n := 0
		for i := range s.segments {
			if s.segments[i].path == path {
				n++
			}
		}
		if n > maxSegments {
			notes = append(notes, fmt.Sprintf("%s: the lines are not in the order of their times, and name no API server: all are taken for one server's. If they are of several, give the log of each as REPLICA=PATH.", path))
		}
	}
	return notes
}
