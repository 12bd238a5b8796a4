package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/require"
)

// taken is a profile of one function with the given CPU time.
func taken(nanoseconds int64) *profile.Profile {
	mapping := &profile.Mapping{ID: 1, File: "/somebody/bin/server"}
	function := &profile.Function{ID: 1, Name: "pkg.work", Filename: "/somebody/pkg/work.go", StartLine: 7}
	location := &profile.Location{ID: 1, Mapping: mapping, Address: uint64(nanoseconds), Line: []profile.Line{{Function: function, Line: 9}}}
	unit := &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	return &profile.Profile{
		PeriodType: unit, Period: 1, SampleType: []*profile.ValueType{unit},
		Sample:  []*profile.Sample{{Location: []*profile.Location{location}, Value: []int64{nanoseconds}}},
		Mapping: []*profile.Mapping{mapping}, Function: []*profile.Function{function}, Location: []*profile.Location{location},
	}
}

func TestProfilesAreSummedWithoutThePathsOfTheMachine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sum.pgo")
	require.NoError(t, writeProfile(file, []*profile.Profile{taken(3), taken(4)}))
	content, err := os.Open(file)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, content.Close()) })
	sum, err := profile.Parse(content)
	require.NoError(t, err)
	require.Len(t, sum.Sample, 1)
	require.Equal(t, []int64{7}, sum.Sample[0].Value)
	line := sum.Sample[0].Location[0].Line[0]
	require.EqualValues(t, 2, line.Line-line.Function.StartLine, "the compiler goes by lines of a function")
	require.Equal(t, "pkg.work", line.Function.Name)
	require.NotContains(t, sum.String(), "somebody")
}
