package scenario

import "time"

// event is what happens to an agent at a time.
type event[T any] struct {
	at    time.Duration
	agent int
	of    T
}

// schedule is a heap of events, by time and then by agent.
type schedule[T any] []event[T]

func (s schedule[T]) Len() int { return len(s) }
func (s schedule[T]) Less(i, j int) bool {
	return s[i].at < s[j].at || s[i].at == s[j].at && s[i].agent < s[j].agent
}
func (s schedule[T]) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s *schedule[T]) Push(x any)   { *s = append(*s, x.(event[T])) }
func (s *schedule[T]) Pop() any {
	last := len(*s) - 1
	x := (*s)[last]
	*s = (*s)[:last]
	return x
}
