package chaos

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAnOutageIsTheLongestTimeWithoutAnAcknowledgementNearAFault(t *testing.T) {
	second := func(seconds ...int) (times []time.Duration) {
		for _, s := range seconds {
			times = append(times, time.Duration(s)*time.Second)
		}
		return times
	}
	fault := Fault{Start: 10 * time.Second, End: 20 * time.Second}
	for _, test := range []struct {
		name  string
		times []time.Duration
		want  time.Duration
	}{
		{"within it", second(9, 11, 16, 18, 21), 5 * time.Second},
		{"one that began before it", second(5, 13, 15, 17, 19, 21), 8 * time.Second},
		{"one that ended after it", second(9, 11, 13, 15, 17, 19, 26), 7 * time.Second},
		{"others do not count", second(0, 9, 11, 13, 15, 17, 19, 21, 22, 40), 2 * time.Second},
		{"no acknowledgement", nil, 0},
	} {
		t.Run(test.name, func(t *testing.T) { require.Equal(t, test.want, Outage(fault, test.times)) })
	}
}

func TestAReportCountsFaultsAndShowsOutages(t *testing.T) {
	run := recorded(t)
	for i := range run.Acks {
		run.Acks[i].At = time.Duration(10*i) * time.Second
	}
	run.Faults = []Fault{
		{Kind: KillServer, Start: time.Second, End: 2 * time.Second},
		{Kind: KillServer, Start: 12 * time.Second, End: 13 * time.Second},
		{Kind: KillServer, Start: 13 * time.Second, End: 14 * time.Second},
	}
	report := run.Report()
	for _, line := range []string{
		"| kill -9 of a server | 3 | 10s | 10s | 1 | 10s | 10s |",
		"| etcd compacted | 0 | |  | 0 | |  |",
		"| writes among them, each compared with etcd | 3 |",
		"| events seen by watchers | 3 |",
		"| requests of these clients | 3 |",
		"| those among them that failed: no answer | 1 |",
		"| those among them that failed: no connection | 1 |",
		"| most writes of one object's status in a minute | 1 |",
	} {
		require.Contains(t, report, line)
	}
}
