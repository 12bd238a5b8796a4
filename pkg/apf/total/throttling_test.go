package total

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestThrottlingIsThePartOfThePeriodsSinceTheLastSample(t *testing.T) {
	const own, parent = "sys/fs/cgroup/pods/a/cpu.stat", "sys/fs/cgroup/pods/cpu.stat"
	root := fstest.MapFS{"proc/self/cgroup": {Data: []byte("0::/pods/a\n")}}
	var q quota
	for _, step := range []struct {
		name        string
		own, parent string
		want        float64
	}{
		{"the first sample", "nr_periods 1000\nnr_throttled 900\n", "usage_usec 5\n", -1},
		{"a quarter", "usage_usec 7\nnr_periods 1100\nnr_throttled 925\n", "usage_usec 5\n", 0.25},
		{"no period", "nr_periods 1100\nnr_throttled 925\n", "usage_usec 5\n", 0},
		{"the parent gets a quota", "nr_periods 1200\nnr_throttled 935\n", "nr_periods 10\nnr_throttled 10\n", 0.1},
		{"the parent is throttled more", "nr_periods 1300\nnr_throttled 945\n", "nr_periods 20\nnr_throttled 18\n", 0.8},
		{"the counters start again", "nr_periods 5\nnr_throttled 5\n", "nr_periods 3\nnr_throttled 3\n", 0},
		{"more throttled periods than periods", "nr_periods 6\nnr_throttled 500\n", "nr_periods 4\nnr_throttled 3\n", 1},
	} {
		root[own], root[parent] = &fstest.MapFile{Data: []byte(step.own)}, &fstest.MapFile{Data: []byte(step.parent)}
		value, err := q.throttled(root)
		if step.want < 0 {
			require.ErrorIs(t, err, ErrQuiet, step.name)
			continue
		}
		require.NoError(t, err, step.name)
		assert.InDelta(t, step.want, value, 1e-9, step.name)
	}
}

func TestThrottlingOfVersion1(t *testing.T) {
	root := fstest.MapFS{
		"proc/self/cgroup":              {Data: []byte("2:cpu,cpuacct:/a\n1:memory:/b\n0::/\n")},
		"sys/fs/cgroup/cpu/a/cpu.stat":  {Data: []byte("nr_periods 0\nnr_throttled 0\nthrottled_time 0\n")},
		"sys/fs/cgroup/memory/b/unused": {},
	}
	var q quota
	_, err := q.throttled(root)
	require.ErrorIs(t, err, ErrQuiet)
	root["sys/fs/cgroup/cpu/a/cpu.stat"] = &fstest.MapFile{Data: []byte("nr_periods 10\nnr_throttled 5\nthrottled_time 9\n")}
	value, err := q.throttled(root)
	require.NoError(t, err)
	assert.Equal(t, 0.5, value)
}

func TestUnknownThrottlingIsAnErrorThatSaysWhy(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		says  string
	}{
		{"another system than Linux", nil, "reading the cgroups of this process"},
		{"no file", map[string]string{"proc/self/cgroup": "0::/a"}, "no nr_periods in cpu.stat"},
		{"the controller is off", map[string]string{"proc/self/cgroup": "0::/a", "sys/fs/cgroup/a/cpu.stat": "usage_usec 5\n"}, "no nr_periods in cpu.stat"},
		{"no number", map[string]string{"proc/self/cgroup": "0::/a", "sys/fs/cgroup/a/cpu.stat": "nr_periods many\n"}, `cpu.stat has "many"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var q quota
			_, err := q.throttled(files(test.files))
			require.ErrorContains(t, err, test.says)
		})
	}
}
