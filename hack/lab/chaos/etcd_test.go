package chaos_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/chaos"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// judgeByEtcd lets the validators of etcd's robustness tests judge a run, and the run with faults
// that did not happen, which they must find.
func judgeByEtcd(t *testing.T, run *chaos.Run) {
	t.Helper()
	program := harness.Program(t, binaries.Judge("etcd-validate"))
	for _, test := range []struct {
		name, verdict string
		change        func(run *chaos.Run)
	}{
		{"the run", "", func(*chaos.Run) {}},
		{"with a stale list", "linearization: Failure: illegal", func(run *chaos.Run) { run.Lists = withStaleList(t, run.Lists) }},
		{"with a list of what never was", "serializable: Failure", func(run *chaos.Run) { run.Lists = withOldList(t, run.Lists) }},
		{"with a lost event", "watch: Failure: broke Reliable", func(run *chaos.Run) { run.Watchers = withoutAnEvent(t, run.Watchers) }},
	} {
		changed := *run
		test.change(&changed)
		folder := filepath.Join(t.ArtifactDir(), test.name)
		require.NoError(t, changed.WriteEtcd(folder))
		output, err := exec.CommandContext(t.Context(), program, folder).CombinedOutput()
		text := string(output)
		t.Logf("etcd's validators, %s: %s", test.name, text[max(0, len(text)-2000):])
		if test.verdict == "" {
			require.True(t, *peer || err == nil, err)
			continue
		}
		require.Error(t, err)
		require.Contains(t, text, test.verdict)
	}
}

// withStaleList answers a recent list in the middle of the run with one before it.
func withStaleList(t *testing.T, lists []chaos.List) []chaos.List {
	t.Helper()
	lists = slices.DeleteFunc(slices.Clone(lists), func(l chaos.List) bool { return l.Call == 0 })
	require.Greater(t, len(lists), 3)
	slices.SortFunc(lists, func(a, b chaos.List) int { return int(a.Call - b.Call) })
	i := len(lists) / 2
	for lists[i-1].Version == lists[i].Version {
		i++
	}
	lists[i].List = lists[i-1].List
	return lists
}

// withOldList gives a list that may be old an object of another version.
func withOldList(t *testing.T, lists []chaos.List) []chaos.List {
	t.Helper()
	lists = slices.Clone(lists)
	i := slices.IndexFunc(lists, func(l chaos.List) bool { return l.Call == 0 && len(l.Objects) > 0 })
	require.GreaterOrEqual(t, i, 0)
	lists[i].Objects = lists[i].Objects[1:]
	return lists
}

// withoutAnEvent removes an event from the middle of a connection.
func withoutAnEvent(t *testing.T, watchers []*chaos.Watcher) []*chaos.Watcher {
	t.Helper()
	watchers = slices.Clone(watchers)
	for i, w := range watchers {
		for j, watch := range w.Watches {
			if len(watch.Events) > 5 {
				changed := *w
				changed.Watches = slices.Clone(w.Watches)
				changed.Watches[j].Events = slices.Delete(slices.Clone(watch.Events), 2, 3)
				watchers[i] = &changed
				return watchers
			}
		}
	}
	t.Fatal("no watcher saw enough")
	return nil
}
