package search

import (
	"testing"
	"time"
)

func TestSpeed(t *testing.T) {
	s := &Scenario{Config: Config{20, 64, 6, 50}, Seed: 1, Lasts: 2 * time.Minute, Clients: []Client{
		{Flow: "fresh", Names: Fresh, Threads: 30, Takes: 100 * time.Millisecond},
		{Flow: "established", Names: 1, Threads: 5, Takes: 100 * time.Millisecond},
		{Flow: "mouse", Names: 1, Threads: 1, Takes: 10 * time.Millisecond, Think: 190 * time.Millisecond, From: 5 * time.Second},
	}}
	for _, d := range []Discipline{Engine, library} {
		begin := time.Now()
		h := Run(s, d)
		took := time.Since(begin)
		n := map[string]int{}
		worst := map[string]time.Duration{}
		for _, e := range h.Events {
			if e.Kind == Started {
				n[s.Clients[e.Request.client].Flow]++
				f := s.Clients[e.Request.client].Flow
				worst[f] = max(worst[f], e.At-e.Request.Arrived)
			}
		}
		t.Log(d.Name, took, len(h.Events), n, worst, h.Faults)
	}
}
