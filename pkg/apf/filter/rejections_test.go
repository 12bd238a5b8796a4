package filter

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// lowest makes every draw equal to the base, highest twice the base.
func lowest(int) int    { return 0 }
func highest(n int) int { return n - 1 }

func TestBaseFollowsTheRateOfRejections(t *testing.T) {
	for _, test := range []struct {
		name   string
		perSec int
		// bases are the bases that rejections see, one for each second
		bases []int
	}{
		{"one rejection per second is no pressure", 1, []int{1, 1, 1, 1, 1, 1}},
		{"two per second neither", 2, []int{1, 1, 1, 1, 1, 1}},
		{"three per second double it, period by period", 3, []int{1, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8, 16}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newRejections()
			s.draw = lowest
			for second, want := range test.bases {
				for i := range test.perSec {
					got := s.add("l", time.Duration(second)*time.Second+time.Duration(i)*time.Millisecond)
					assert.Equal(t, want, got, "second %d", second)
				}
			}
		})
	}
}

// The bound is maxRetryAfter of the library's tracker; the base is half of it.
func TestBaseEndsAtItsBoundAndComesDown(t *testing.T) {
	const longest = 32
	s := newRejections()
	s.draw = highest
	now := time.Duration(0)
	worst := 0
	for range 1000 {
		worst = max(worst, s.add("l", now))
		now += 100 * time.Millisecond
	}
	assert.Equal(t, longest, worst)

	// With one rejection in each period, the base shrinks by a second each time.
	p := s.levels["l"]
	for base := longest/2 - 1; base >= 1; base-- {
		now = p.since + p.period()
		if base == longest/2-1 { // replaces the count of the period under pressure
			p.count = 1
		}
		assert.Equal(t, base, p.add(now))
	}
	assert.Equal(t, 1, p.add(now+time.Second))
}

func TestQuietTimeIsForgiven(t *testing.T) {
	for _, test := range []struct {
		name  string
		quiet time.Duration // after the period under pressure
		want  int
	}{
		{"less than a period is no quiet", 7 * time.Second, 16},
		{"a period takes a second off", 8 * time.Second, 7},
		{"two take two off", 15 * time.Second, 6},
		{"an hour takes all off", time.Hour, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &levelRejections{base: 8, count: 100}
			assert.Equal(t, test.want, p.add(8*time.Second+test.quiet))
		})
	}
}

func TestClientsRejectedTogetherReturnApart(t *testing.T) {
	s := newRejections()
	s.levels["l"] = &levelRejections{base: 8, count: 0}
	seen := map[int]int{}
	for range 900 {
		seen[s.add("l", 0)]++
	}
	assert.Len(t, seen, 9)
	for after, clients := range seen {
		assert.GreaterOrEqual(t, after, 8)
		assert.LessOrEqual(t, after, 16)
		assert.Less(t, clients, 200, "%d s", after)
	}
}

func TestLevelsDoNotShareTheirPressure(t *testing.T) {
	s := newRejections()
	s.draw = lowest
	for i := range 100 {
		s.add("pressed", time.Duration(i)*100*time.Millisecond)
	}
	assert.Greater(t, s.add("pressed", 10*time.Second), 1)
	assert.Equal(t, 1, s.add("other", 10*time.Second))
}

func TestLevelsThatAreGoneAreForgotten(t *testing.T) {
	s := newRejections()
	for i := range 10 * minKept {
		s.add(strconv.Itoa(i), time.Duration(i)*time.Minute)
	}
	assert.LessOrEqual(t, len(s.levels), minKept)
}
