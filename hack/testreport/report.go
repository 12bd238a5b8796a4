package main

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

const (
	module  = "github.com/flowcontrol-apiserver/flowcontrol-apiserver/"
	slowest = 20          // number of listed tests
)

// report holds the results of a run.
type report struct {
	logs     string // folder with the output of processes
	outcomes map[testKey]*outcome
	starts   map[string]int // number of starts, by name of the program
}

func newReport(logs string) *report {
	return &report{logs: logs, outcomes: map[testKey]*outcome{}, starts: map[string]int{}}
}

// keys returns the wanted tests or packages, sorted.
func (r *report) keys(wanted func(testKey, *outcome) bool) []testKey {
	var keys []testKey
	for key, o := range r.outcomes {
		if wanted(key, o) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b testKey) int {
		return cmp.Or(cmp.Compare(a.phase, b.phase), cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.test, b.test))
	})
	return keys
}

// failed returns the tests without a passed attempt, and the packages that
// failed without such a test because they did not compile or ended early.
func (r *report) failed() []testKey {
	tests := r.keys(func(k testKey, o *outcome) bool { return k.test != "" && o.failed > 0 && o.passed == 0 })
	packages := r.keys(func(k testKey, o *outcome) bool {
		explained := slices.ContainsFunc(tests, func(test testKey) bool { return test.phase == k.phase && test.pkg == k.pkg })
		return k.test == "" && o.failed > 0 && o.passed == 0 && !explained
	})
	return append(tests, packages...)
}

// retried returns the tests that failed first and then passed.
func (r *report) retried() []testKey {
	return r.keys(func(k testKey, o *outcome) bool { return k.test != "" && o.failed > 0 && o.passed > 0 })
}

func (r *report) text() string {
	var text strings.Builder
	tests := r.keys(func(k testKey, o *outcome) bool { return k.test != "" && o.passed+o.failed > 0 })
	r.writeSlowest(&text, tests)
	r.writeStarts(&text)
	failed, retried := r.failed(), r.retried()
	for _, key := range retried {
		fmt.Fprintf(&text, "\nPassed on retry, a defect to mend: %s %s\n%s", key.folder(), key.test, r.hints(key))
	}
	for _, key := range failed {
		fmt.Fprintf(&text, "\nFailed: %s %s\n%s", key.folder(), key.test, r.hints(key))
	}
	fmt.Fprintf(&text, "\n%d tests, %d failed, %d passed on retry\n", len(tests), len(failed), len(retried))
	return text.String()
}

func (r *report) writeSlowest(text *strings.Builder, tests []testKey) {
	slices.SortStableFunc(tests, func(a, b testKey) int { return cmp.Compare(r.outcomes[b].seconds, r.outcomes[a].seconds) })
	fmt.Fprintf(text, "\nSlowest tests, in seconds:\n")
	for _, key := range tests[:min(slowest, len(tests))] {
		fmt.Fprintf(text, "%7.1f  %s %s\n", r.outcomes[key].seconds, key.folder(), key.test)
	}
}

func (r *report) writeStarts(text *strings.Builder) {
	fmt.Fprintf(text, "\nProcesses started:\n")
	for _, name := range slices.Sorted(maps.Keys(r.starts)) {
		fmt.Fprintf(text, "%7d  %s\n", r.starts[name], name)
	}
}

// retriedText returns a line for each test that passed on retry.
func (r *report) retriedText() string {
	var text strings.Builder
	for _, key := range r.retried() {
		fmt.Fprintf(&text, "%s %s\n", key.folder(), key.test)
	}
	return text.String()
}

// folder returns the package's folder, relative to the top of the repository.
func (k testKey) folder() string { return "./" + strings.TrimPrefix(k.pkg, module) }

// hints returns how to repeat a test and where the output of its processes is.
func (r *report) hints(key testKey) string {
	hints := "  repeat: " + key.repeat(r.outcomes[key].seed) + "\n"
	logs := filepath.Join(r.logs, key.folder(), key.test)
	if files, _ := filepath.Glob(filepath.Join(logs, "*")); len(files) > 0 {
		hints += "  outputs of its processes: " + logs + "\n"
	}
	return hints
}

// ownModules returns the folders that are modules of their own.
func ownModules() []string { return []string{"./pkg/apf", "./test/parity", "./hack/lab"} }

// repeat returns the command that repeats the test.
func (k testKey) repeat(seed string) string {
	words := []string{"go", "test", "-count=1"}
	folder, dir, env := k.folder(), "", []string{"CGO_ENABLED=0"}
	phase, long := strings.CutPrefix(k.phase, "long-")
	if release, ok := strings.CutPrefix(phase, "adoption-"); ok {
		return "make test-adoption ADOPTION=" + release
	}
	switch phase {
	case "race", "race-others":
		env = []string{"CGO_ENABLED=1"}
		words = append(words, "-race")
	}
	for _, own := range ownModules() {
		if strings.HasPrefix(folder+"/", own+"/") {
			dir, folder = "cd "+own+" && ", "."+strings.TrimPrefix(folder, own)
		}
	}
	if long {
		words = append(words, "-tags=long", "-timeout=2h")
	}
	if seed != "" {
		env = append(env, seed)
	}
	words = append(words, folder)
	if k.test != "" {
		words = append(words, "-run='^"+k.test+"$'")
	}
	return dir + strings.Join(append(env, words...), " ")
}
