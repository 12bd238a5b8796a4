package judges

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

func TestJudgeFindsWhatAnAttackMustNotDo(t *testing.T) {
	c := Case{Name: "x", Allowed: []string{"403"}, Memory: 1 << 30, Kept: 64 << 20}
	sound := func() *Figures {
		f := &Figures{Answers: &Tally{}, Peak: 1 << 20}
		f.Answers.add("403", 5)
		f.During = read(200, time.Millisecond)
		return f
	}
	require.NoError(t, Judge(c, sound()))
	for name, test := range map[string]struct {
		plant func(*Figures)
		says  string
	}{
		"a server error for the mouse":    {func(f *Figures) { f.During = append(f.During, read(503, 0)...) }, "1 reads of the mouse failed, such as: answered 503"},
		"no connection for the mouse":     {func(f *Figures) { f.During = append(f.During, measurement.Sample{Err: errors.New("no answer")}) }, "no answer"},
		"a mouse that reads nothing":      {func(f *Figures) { f.During = nil }, "the mouse read nothing"},
		"somebody who gets in":            {func(f *Figures) { f.Answers.add("200", 1) }, `1 answers are "200"; they must be one of ["403"]`},
		"a server error for an attacker":  {func(f *Figures) { f.Answers.add("500", 2) }, `2 answers are "500"`},
		"an attack that was not made":     {func(f *Figures) { f.Answers = &Tally{} }, "nothing was tried"},
		"an object that changed":          {func(f *Figures) { f.Changed = []string{"a"} }, `objects were created, changed or deleted: ["a"]`},
		"a server that works on":          {func(f *Figures) { f.Unrest = errNoRest }, "not at rest"},
		"a server that rests late":        {func(f *Figures) { f.Resting = 20 * time.Second }, "at rest only 20s after the attack; the bound is 10s"},
		"a server that works for nobody":  {func(f *Figures) { f.Worked = 3 * time.Second }, "it used 3s of processor time after the attack; the bound is 2s"},
		"memory that is held":             {func(f *Figures) { f.Kept, f.KeptFor = 150<<20, 100*time.Second }, "150 MiB more are held than before, 1m40s after the attack; the bound is 64"},
		"a log that is full":              {func(f *Figures) { f.After.Lines = 3000 }, "3000 lines were logged; the bound is 2000"},
		"more memory than the limits say": {func(f *Figures) { f.Peak = 2 << 30 }, "2048 MiB were resident; the bound is 1024"},
	} {
		t.Run(name, func(t *testing.T) {
			f := sound()
			test.plant(f)
			require.ErrorContains(t, Judge(c, f), test.says)
		})
	}
}

// read is a read of the mouse.
func read(status int, took time.Duration) measurement.Samples {
	return measurement.Samples{{Status: status, Took: took}}
}

func TestChangesOfStoredObjectsAreFound(t *testing.T) {
	before := map[string]int64{"same": 1, "changed": 1, "gone": 1}
	require.ElementsMatch(t, []string{"changed", "gone", "new"}, differences(before, map[string]int64{"same": 1, "changed": 2, "new": 1}))
}

func TestCasesHaveNamesAnswersAndBounds(t *testing.T) {
	names := map[string]bool{}
	for _, c := range Cases() {
		require.False(t, names[c.Name], c.Name)
		names[c.Name] = true
		require.NotEmpty(t, c.Allowed, c.Name)
		require.Positive(t, c.Memory, c.Name)
		require.Positive(t, c.Kept, c.Name)
		require.Less(t, c.Small, c.Large, c.Name)
		require.NotContains(t, c.Allowed, "500", c.Name)
	}
}
