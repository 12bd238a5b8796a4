package maintenance

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded/backup"
)

const prefix = "/registry/flowcontrol.apiserver.k8s.io"

// begin is the time of the clocks of the tests.
func begin() time.Time { return time.Date(2026, 1, 31, 4, 0, 0, 0, time.UTC) }

// newScheduler returns a scheduler of an etcd that holds an object, with a clock that
// the test controls.
func newScheduler(t *testing.T, f *filling) (*Scheduler, *clocktesting.FakeClock) {
	t.Helper()
	_, err := f.Put(t.Context(), prefix+"/flowschemas/one", "k8s:enc:secretbox:v1:key:x")
	require.NoError(t, err)
	clock := clocktesting.NewFakeClock(begin())
	return &Scheduler{
		Client: f.Client, Directory: backup.Directory{Path: filepath.Join(t.TempDir(), "snapshots"), Prefix: prefix},
		Interval: time.Hour, Retain: 2, Clock: clock, Log: logr.Discard(), Metrics: NewMetrics(f.etcd.Space),
	}, clock
}

// run runs the scheduler until the test ends.
func run(t *testing.T, s *Scheduler) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-ended })
}

// awaitPause waits until the scheduler waits.
func awaitPause(t *testing.T, clock *clocktesting.FakeClock) {
	t.Helper()
	eventually.Holds(t, "the scheduler waits", func(a *eventually.Attempt) { require.True(a, clock.HasWaiters()) })
}

func times(t *testing.T, s *Scheduler) (times []time.Time) {
	t.Helper()
	files, err := s.Directory.Files()
	require.NoError(t, err)
	for _, file := range files {
		times = append(times, file.Time)
	}
	return times
}

func TestSnapshotsAreTakenEachIntervalAndOldOnesRemoved(t *testing.T) {
	s, clock := newScheduler(t, start(t, 0))
	partial := filepath.Join(s.Directory.Path, ".flowcontrol-apiserver-snapshot-1.partial")
	require.NoError(t, os.Mkdir(s.Directory.Path, 0o700))
	require.NoError(t, os.WriteFile(partial, []byte("x"), 0o600))

	run(t, s)
	awaitPause(t, clock)
	assert.Equal(t, []time.Time{begin()}, times(t, s))
	assert.NoFileExists(t, partial)
	for range 3 {
		clock.Step(time.Hour - 1)
		require.True(t, clock.HasWaiters(), "it is not due yet")
		clock.Step(1)
		awaitPause(t, clock)
	}
	assert.Equal(t, []time.Time{begin().Add(2 * time.Hour), begin().Add(3 * time.Hour)}, times(t, s))
	measured := values(t, s.Metrics)
	assert.Equal(t, 4.0, measured["snapshots_total success"])
	assert.Equal(t, float64(begin().Add(3*time.Hour).Unix()), measured["snapshot_last_success_timestamp_seconds"])
	assert.Positive(t, measured["snapshot_last_size_bytes"])
}

func TestAFailedSnapshotIsCountedAndRepeatedSoon(t *testing.T) {
	f := start(t, 0)
	s, clock := newScheduler(t, f)
	_, err := s.Directory.Take(t.Context(), f.Client, begin().Add(-2*time.Hour))
	require.NoError(t, err)
	wrong := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(wrong, nil, 0o600))
	right := s.Directory.Path
	require.NoError(t, os.Rename(right, right+"-away"))
	require.NoError(t, os.Symlink(wrong, right))

	run(t, s)
	awaitPause(t, clock)
	measured := values(t, s.Metrics)
	assert.Equal(t, 1.0, measured["snapshots_total failure"])
	assert.Zero(t, measured["snapshots_total success"])

	require.NoError(t, os.Remove(right))
	require.NoError(t, os.Rename(right+"-away", right))
	clock.Step(retryInterval)
	awaitPause(t, clock)
	assert.Equal(t, 1.0, values(t, s.Metrics)["snapshots_total success"])
	assert.Len(t, times(t, s), 2)
}

func TestASnapshotWithoutObjectsRemovesNoOther(t *testing.T) {
	f := start(t, 0)
	s, _ := newScheduler(t, f)
	s.Retain = 1
	require.NoError(t, s.take(t.Context()))
	_, err := f.Delete(t.Context(), prefix+"/flowschemas/one")
	require.NoError(t, err)
	require.ErrorContains(t, s.take(t.Context()), "old ones are kept")
	assert.Len(t, times(t, s), 2)
}

func TestRestartsNeitherDelayNorMultiplySnapshots(t *testing.T) {
	f := start(t, 0)
	s, clock := newScheduler(t, f)
	_, err := s.Directory.Take(t.Context(), f.Client, begin().Add(-time.Minute))
	require.NoError(t, err)
	run(t, s)
	awaitPause(t, clock)
	assert.Equal(t, float64(begin().Add(-time.Minute).Unix()), values(t, s.Metrics)["snapshot_last_success_timestamp_seconds"])
	assert.Len(t, times(t, s), 1)
	clock.Step(59 * time.Minute)
	awaitPause(t, clock)
	assert.Len(t, times(t, s), 2)
}

func TestUntilNext(t *testing.T) {
	for name, test := range map[string]struct {
		last time.Time
		want time.Duration
	}{
		"the last was a moment ago":              {begin().Add(-time.Second), time.Hour - time.Second},
		"the last was long ago":                  {begin().Add(-3 * time.Hour), 0},
		"the last is of a clock a year ahead":    {begin().AddDate(1, 0, 0), 0},
		"the last is of a clock a year behind":   {begin().AddDate(-1, 0, 0), 0},
		"the last was at this second of a clock": {begin(), time.Hour},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, untilNext(begin(), test.last, time.Hour)) })
	}
}
