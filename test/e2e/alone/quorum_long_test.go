//go:build long

package alone

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestTheSameMessageIsLoggedOnceAMinuteWhileEtcdIsAway kills two of three members of etcd,
// and then the third. A server once logged that there was no leader 4,203 times in 13.5 s,
// because it opened as many watches.
func TestTheSameMessageIsLoggedOnceAMinuteWhileEtcdIsAway(t *testing.T) {
	t.Parallel()
	members := harness.StartEtcdCluster(t, 3, nil)
	var urls []string
	for _, member := range members {
		urls = append(urls, member.URL)
	}
	s := startFaulty(t, "--etcd-servers="+strings.Join(urls, ","))
	goroutines := s.goroutines(t)
	for _, member := range members[1:] {
		member.Kill(t)
	}
	eventually.Holds(t, "both caches wait for etcd", func(a *eventually.Attempt) {
		require.Equal(a, 2, strings.Count(s.Process.Output(), "Waiting for etcd before watching it"))
	})
	members[0].Kill(t)
	eventually.Holds(t, "the server is not ready, because of etcd", func(a *eventually.Attempt) {
		answer, err := s.ask(a.Context(), s.http, "/readyz")
		require.NoError(a, err)
		require.Contains(a, answer.Body, "[-]etcd failed")
	})
	for _, member := range members {
		member.Launch(t)
	}
	for _, member := range members {
		require.NoError(t, member.WaitHealthy(t.Context()))
	}
	require.NoError(t, s.WaitReady(t.Context()))
	s.goesOn(t, goroutines)
	s.Stop(t)
	requireNoRepetition(t, s.Process.Output())
	require.LessOrEqual(t, strings.Count(s.Process.Output(), "watch chan error"), 2*len(members), "watches that were opened in vain")
}

// problem matches a line of an error or a warning: its time, and its place and message.
var problem = regexp.MustCompile(`(?m)^[EW]\d{4} (\d\d:\d\d:\d\d\.\d{6}) +\d+ (.*)$`)

// requireNoRepetition requires that no message is repeated within a minute.
func requireNoRepetition(t *testing.T, log string) {
	t.Helper()
	last, numbers := map[string]time.Time{}, regexp.MustCompile(`#\d+`)
	for _, line := range problem.FindAllStringSubmatch(log, -1) {
		at, err := time.Parse("15:04:05.000000", line[1])
		require.NoError(t, err)
		message := numbers.ReplaceAllString(line[2], "#")
		if before, found := last[message]; found && at.After(before) { // not at midnight
			require.GreaterOrEqual(t, at.Sub(before), time.Minute-time.Second, message)
		}
		last[message] = at
	}
	require.NotEmpty(t, last, "the reason is said")
}
