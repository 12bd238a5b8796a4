package server

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

func TestAnEngineThatAppliesNothingIsNotReady(t *testing.T) {
	start := time.Unix(1000, 0)
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	type seen struct {
		at      int // seconds since start
		pending int
		applied int // seconds since start, -1 for never
		fails   bool
	}
	for _, test := range []struct {
		name  string
		seens []seen
	}{
		{"a start", []seen{{0, 13, -1, false}, {90, 13, -1, false}, {91, 0, 91, false}}},
		{"no change for an hour, and then one", []seen{{0, 0, 0, false}, {3600, 1, 0, false}, {3601, 0, 3601, false}}},
		{"changes all the time", []seen{{0, 2, 0, false}, {59, 5, 59, false}, {119, 5, 118, false}, {190, 1, 189, false}}},
		{"checks that are rare and always see a change", []seen{{0, 1, 0, false}, {600, 1, 599, false}, {1200, 1, 1199, false}}},
		{"an engine that is stuck for a while", []seen{{0, 1, 0, false}, {59, 1, 0, false}, {60, 3, 0, true}, {70, 4, 0, true}, {71, 0, 71, false}}},
		{"a change that is taken back, and another one later", []seen{{0, 1, 0, false}, {1, 0, 0, false}, {90, 1, 0, false}}},
		{"an engine that is stuck twice", []seen{{0, 1, 0, false}, {59, 0, 59, false}, {60, 1, 59, false}, {119, 1, 59, false}, {120, 1, 59, true}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			now := testingclock.NewFakePassiveClock(start)
			var status engine.ConfigurationStatus
			lag := &configurationLag{status: func() engine.ConfigurationStatus { return status }, clock: now}
			for _, seen := range test.seens {
				now.SetTime(at(seen.at))
				status = engine.ConfigurationStatus{Pending: seen.pending}
				if seen.applied >= 0 {
					status.AppliedAt = at(seen.applied)
				}
				err := lag.check(nil)
				require.Equal(t, seen.fails, err != nil, "after %d s: %v", seen.at, err)
			}
		})
	}
}
