package store

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// scriptedRevisions returns one revision after another; 0 stands for an error.
type scriptedRevisions struct{ revisions []uint64 }

func (s *scriptedRevisions) GetCurrentResourceVersion(context.Context) (uint64, error) {
	revision := s.revisions[0]
	s.revisions = s.revisions[1:]
	if revision == 0 {
		return 0, errors.New("etcd does not respond")
	}
	return revision, nil
}

func TestRevisionOfAStoreThatIsNotOpenIsUnknown(t *testing.T) {
	monitor := NewRevisions(New(nil, nil, ""))
	monitor.read(t.Context(), []func() string{func() string { return "7" }})
	require.NoError(t, monitor.Check(nil))
}

func TestLowerRevisionOfEtcdEndsTheServer(t *testing.T) {
	for _, test := range []struct {
		name      string
		cached    string
		revisions []uint64
		want      string // empty: nothing is wrong
	}{
		{"revisions that rise", "4", []uint64{5, 5, 7}, ""},
		{"an etcd that is away for a while", "", []uint64{5, 0, 0, 5}, ""},
		{"an etcd that comes back empty", "", []uint64{5, 0, 1}, "etcd is at revision 1, but was at 5 before"},
		{"an etcd that comes back with an old snapshot, newer than the last read", "9", []uint64{8}, "etcd is at revision 8, but was at 9 before"},
		{"a cache that has read nothing", "", []uint64{1, 2}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			monitor := NewRevisions(&scriptedRevisions{test.revisions})
			caches := []func() string{func() string { return test.cached }}
			for range test.revisions {
				require.NoError(t, monitor.Check(nil))
				monitor.read(t.Context(), caches)
			}
			if test.want == "" {
				require.NoError(t, monitor.Check(nil))
				require.Empty(t, monitor.failed)
				return
			}
			require.ErrorContains(t, monitor.Check(nil), test.want)
			require.ErrorContains(t, <-monitor.failed, test.want)
			monitor.read(t.Context(), caches) // it reads no more
		})
	}
}
