package total

import (
	"io/fs"
	"maps"
	"math"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// files is a file system of texts by name.
func files(texts map[string]string) fs.FS {
	root := fstest.MapFS{}
	for name, text := range texts {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

// unlimitedGo is the memory of a runtime without GOMEMLIMIT.
func unlimitedGo() goMemory {
	return goMemory{limit: math.MaxInt64, pinned: 500, garbage: 100}
}

func TestMemoryIsThePartOfTheCloserLimit(t *testing.T) {
	v2 := map[string]string{
		"proc/self/cgroup":                     "0::/pods/a\n",
		"sys/fs/cgroup/pods/a/memory.max":      "1000\n",
		"sys/fs/cgroup/pods/a/memory.current":  "700\n",
		"sys/fs/cgroup/pods/a/memory.stat":     "anon 400\ninactive_file 150\nactive_file 50\n",
		"sys/fs/cgroup/pods/memory.max":        "max\n",
		"sys/fs/cgroup/cgroup.procs":           "",
		"sys/fs/cgroup/pods/a/memory.pressure": "some avg10=0.00",
	}
	with := func(more map[string]string) map[string]string {
		merged := maps.Clone(v2)
		maps.Copy(merged, more)
		return merged
	}
	for _, test := range []struct {
		name  string
		files map[string]string
		own   goMemory
		want  float64
	}{
		{"version 2, without file pages", v2, unlimitedGo(), 0.5},
		{"a parent of the cgroup is closer to its limit", with(map[string]string{
			"sys/fs/cgroup/pods/memory.max": "10000", "sys/fs/cgroup/pods/memory.current": "9000", "sys/fs/cgroup/pods/memory.stat": "inactive_file 1000\n",
		}), unlimitedGo(), 0.8},
		{"version 1", map[string]string{
			"proc/self/cgroup": "5:cpu,cpuacct:/other\n4:memory:/a:b\n0::/\n",
			"sys/fs/cgroup/memory/a:b/memory.limit_in_bytes": "1000",
			"sys/fs/cgroup/memory/a:b/memory.usage_in_bytes": "900",
			"sys/fs/cgroup/memory/a:b/memory.stat":           "inactive_file 1\ntotal_inactive_file 100\ntotal_active_file 200\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":     "9223372036854771712",
		}, unlimitedGo(), 0.6},
		{"a container whose cgroup has the name of the host", map[string]string{
			"proc/self/cgroup":         "0::/kubepods/burstable/pod1/container1\n",
			"sys/fs/cgroup/memory.max": "1000", "sys/fs/cgroup/memory.current": "400", "sys/fs/cgroup/memory.stat": "",
		}, unlimitedGo(), 0.4},
		{"version 1 without a path", map[string]string{
			"proc/self/cgroup":                           "4:memory:\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "10", "sys/fs/cgroup/memory/memory.usage_in_bytes": "2", "sys/fs/cgroup/memory/memory.stat": "",
		}, unlimitedGo(), 0.2},
		{"a cgroup outside of the namespace", map[string]string{
			"proc/self/cgroup":         "0::/../other\n",
			"sys/fs/cgroup/memory.max": "10", "sys/fs/cgroup/memory.current": "3", "sys/fs/cgroup/memory.stat": "",
			"sys/fs/other/memory.max": "10", "sys/fs/other/memory.current": "9", "sys/fs/other/memory.stat": "",
		}, unlimitedGo(), 0.3},
		{"more file pages than usage", with(map[string]string{"sys/fs/cgroup/pods/a/memory.stat": "inactive_file 5000\n"}), unlimitedGo(), 0},
		{"GOMEMLIMIT is closer", v2, goMemory{limit: 1000, pinned: 900, garbage: 100}, 0.9},
		{"the cgroup is closer, and GOMEMLIMIT bounds the garbage", v2, goMemory{limit: 1000, pinned: 100, garbage: 100}, 0.4},
		{"GOMEMLIMIT is above the limit of the cgroup and bounds nothing", v2, goMemory{limit: 2000, pinned: 100, garbage: 100}, 0.5},
		{"GOMEMLIMIT alone", nil, goMemory{limit: 1000, pinned: 300}, 0.3},
	} {
		t.Run(test.name, func(t *testing.T) {
			value, err := memory(files(test.files), test.own)
			require.NoError(t, err)
			assert.InDelta(t, test.want, value, 1e-9)
		})
	}
}

func TestMemoryOfTheRuntimeIsPinnedUnlessACollectionFreesIt(t *testing.T) {
	figures := map[int]uint64{
		memoryLimit: 5000, memoryTotal: 1000, heapReleased: 100, heapFree: 50, heapUnused: 20, heapObjects: 400, heapLive: 250,
	}
	of := func(index int) uint64 { return figures[index] }
	assert.Equal(t, goMemory{limit: 5000, pinned: 1000 - 100 - 50 - 20 - 150, garbage: 150 + 50}, newGoMemory(of))
	figures[heapLive] = 500
	assert.Equal(t, goMemory{limit: 5000, pinned: 830, garbage: 50}, newGoMemory(of), "more was live at the last collection than there is now")
	figures[memoryTotal] = 10
	assert.Zero(t, newGoMemory(of).pinned, "metrics that contradict each other")
}

func TestUnknownMemoryIsAnErrorThatSaysWhy(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		says  string
	}{
		{"another system than Linux", nil, "reading the cgroups of this process"},
		{"no limit", map[string]string{"proc/self/cgroup": "0::/a", "sys/fs/cgroup/a/memory.max": "max"}, "neither GOMEMLIMIT nor a limit of the cgroup is set"},
		{"a limit of zero", map[string]string{"proc/self/cgroup": "0::/a", "sys/fs/cgroup/a/memory.max": "0"}, "neither GOMEMLIMIT nor a limit of the cgroup is set"},
		{"no files", map[string]string{"proc/self/cgroup": "0::/a"}, "no file memory.max"},
		{"no such controller", map[string]string{"proc/self/cgroup": "3:cpu:/a\ngarbage\n"}, "no cgroup with the controller memory"},
		{"a limit that is no number", map[string]string{"proc/self/cgroup": "0::/a", "sys/fs/cgroup/a/memory.max": "-5"}, `/sys/fs/cgroup/a/memory.max has "-5"`},
		{"a usage that is no number", map[string]string{"proc/self/cgroup": "0::/a", "sys/fs/cgroup/a/memory.max": "5", "sys/fs/cgroup/a/memory.current": ""}, `memory.current has ""`},
		{"pages that are no number", map[string]string{
			"proc/self/cgroup": "0::/a", "sys/fs/cgroup/a/memory.max": "5", "sys/fs/cgroup/a/memory.current": "1", "sys/fs/cgroup/a/memory.stat": "inactive_file 1e9",
		}, `memory.stat has "1e9"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := memory(files(test.files), unlimitedGo())
			require.ErrorContains(t, err, test.says)
			assert.NotErrorIs(t, err, ErrQuiet)
		})
	}
}
